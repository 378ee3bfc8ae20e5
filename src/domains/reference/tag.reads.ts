import { sql } from 'kysely'
import { builder, type Columns, param, type Scope, Statement } from '../../database/index.js'
import { type Pagination, paginate, pagingOf } from '../../shared/paging.js'
import type { Tag } from './tag.entity.js'

export interface TagPageRows {
  items: Tag[]
  pagination: Pagination
}

type TagRow = Pick<Tag, 'id' | 'name' | 'color' | 'createdAt'>

const build = builder<{ tag: Columns<Tag> }>()
const name = sql<string>`fold(t.name)`

function statements(searched: boolean) {
  let matching = build.selectFrom('tag as t').where('t.account_id', '=', param('account'))
  if (searched) matching = matching.where(sql<boolean>`${name} like like_pattern(${param('search')})`)
  const items = matching
    .select(['t.id', 't.name', 't.color', 't.created_at as createdAt'])
    .orderBy(sql`${name} collate "C"`)
    .orderBy('t.id')
    .limit(param('limit'))
    .offset(param('offset'))
  const total = matching.select(sql<number>`count(*)::int`.as('total'))
  return { items: new Statement<TagRow>(items), total: new Statement<{ total: number }>(total) }
}

const all = statements(false)
const found = statements(true)

/** One page of the account's tags, by name without regard to case and accents, with the total: two statements. */
export async function listTags(
  db: Scope,
  { search, ...asked }: { search?: string | null; page: number; limit: number },
): Promise<TagPageRows> {
  const paging = pagingOf(asked.page, asked.limit)
  const values = { account: db.accountId, search, limit: paging.limit, offset: paging.offset }
  const { items, total } = search ? found : all
  const [rows, counted] = await Promise.all([db.rows(items, values), db.rows(total, values)])
  return { items: rows as Tag[], pagination: paginate(paging, counted[0]!.total) }
}
