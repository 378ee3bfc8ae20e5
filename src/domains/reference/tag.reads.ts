import { sql } from 'kysely'
import { PageReader, param, type Scope } from '../../database/index.js'
import { type Pagination, pagingOf } from '../../shared/paging.js'
import type { Tag } from './tag.entity.js'

export interface TagPageRows {
  items: Tag[]
  pagination: Pagination
}

const pages = new PageReader<Tag>()
const columns = [sql`t.id, t.name, t.color, t.created_at as "createdAt"`]
const named = sql<boolean>`t.name_key like like_pattern(${param('search')})`

/** One page of the account's tags, by name without regard to case and accents, with the exact total. */
export function listTags(
  db: Scope,
  { search, page, limit }: { search?: string | null; page: number; limit: number },
): Promise<TagPageRows> {
  const query = {
    shape: search ? 'found' : 'all',
    table: 'tag',
    alias: 't',
    conditions: search ? [named] : [],
    sort: { column: 'name_key', nullable: false, descending: false },
    columns,
  }
  return pages.read(db, pagingOf(page, limit), query, { account: db.accountId, search })
}
