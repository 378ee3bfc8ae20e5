import { sql } from 'kysely'
import { PageReader, param, type Scope } from '../../database/index.js'
import { type Pagination, pagingOf } from '../../shared/paging.js'
import type { Tag } from './tag.entity.js'

export interface TagPageRows {
  items: Tag[]
  pagination: Pagination
}

const pages = new PageReader<Tag>({ table: 'tag', alias: 't' })
const columns = [sql`t.id, t.name, t.color, t.created_at as "createdAt"`]
const named = sql<boolean>`t.name_key like like_pattern(${param('search')})`
const sort = { column: 'name_key', nullable: false, descending: false }

/** One page of the account's tags, by name without regard to case and accents, with the exact total. */
export function listTags(
  db: Scope,
  { search, page, limit }: { search?: string | null; page: number; limit: number },
): Promise<TagPageRows> {
  const query = () => ({ conditions: search ? [named] : [], sort, columns })
  return pages.read(db, pagingOf(page, limit), search ? 'found' : 'all', query, { search })
}
