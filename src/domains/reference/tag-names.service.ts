import { sql } from 'kysely'
import { param, RunAgain, type Scope, Statement } from '../../database/index.js'
import { tellChange } from '../../kit/changes.js'
import { newId } from '../../shared/ids.js'
import { PLAIN } from './records.service.js'
import type { Tag } from './tag.entity.js'

const create = new Statement<{ id: string }>(
  sql<{ id: string }>`insert into tag (id, account_id, name, color)
    select id, ${param('account')}::uuid, name, ${param('color')}
    from unnest(${param('ids')}::uuid[], ${param('names')}::text[]) as wanted(id, name)
    order by lower(name)
    on conflict do nothing returning id`,
  { prepared: true },
)

const hold = new Statement<Tag & { wanted: number }>(
  sql<Tag & { wanted: number }>`select (
      select count(distinct lower(name))::int from unnest(${param('names')}::text[]) as wanted(name)) as wanted,
      id, account_id as "accountId", name, color, created_at as "createdAt"
    from tag
    where account_id = ${param('account')}
      and lower(name) in (select lower(name) from unnest(${param('names')}::text[]) as wanted(name))
    order by id for key share`,
  { prepared: true },
)

/** Tags by their names, and which of them were not there before. */
export interface NamedTags {
  tags: Tag[]
  createdIds: string[]
}

/**
 * The account's tags of these names, told apart without regard to case; those that it does not have are created. All are
 * kept from being deleted until the open transaction ends, so this comes before any contact. Who creates several takes
 * them in the order of their names: two calls that create the same ones do not stop each other.
 */
export async function tagsNamed(db: Scope, names: readonly string[]): Promise<NamedTags> {
  if (names.length === 0) return { tags: [], createdIds: [] }
  const made = await db.rows(create, { names, ids: names.map(() => newId()), color: PLAIN })
  for (const { id } of made) await tellChange(db, 'tag', id, 'created')
  const found = await db.rows(hold, { names })
  if (found.length === 0 || found.length < found[0]!.wanted) throw new RunAgain('a tag was deleted meanwhile')
  const tags = found.map(({ wanted, ...tag }) => tag)
  return { tags, createdIds: made.map(({ id }) => id) }
}
