import type { Pagination, Paging } from '../../shared/paging.js'
import type { Cursor } from './cursor.js'

/** Where a page stands, and how many records came up to its end. */
export type Standing = Omit<Pagination, 'nextCursor'> & { seen: number }

/** The standing of a page by its number, of a list with this many records in all. */
export function byNumber({ page, limit, offset }: Paging, total: number, count: number): Standing {
  const totalPages = Math.ceil(total / limit)
  return {
    page,
    perPage: limit,
    total,
    totalPages,
    hasNext: page < totalPages,
    hasPrev: page > 1,
    seen: offset + count,
  }
}

/** The standing of a page that begins after a place, which this many of the list's records come after. */
export function byPlace({ page, limit }: Paging, total: number, remaining: number, count: number): Standing {
  const totalPages = page - 1 + Math.max(1, Math.ceil(remaining / limit))
  const seen = total - remaining + count
  return { page, perPage: limit, total, totalPages, hasNext: remaining > count, hasPrev: page > 1, seen }
}

/** The standing of a page that follows a cursor. Nothing was counted for it; the total is raised by what was seen. */
export function byCursor(cursor: Cursor, limit: number, count: number, hasNext: boolean): Standing {
  const page = cursor.page + 1
  const seen = cursor.seen + count
  const total = Math.max(cursor.total, hasNext ? seen + 1 : seen)
  const totalPages = Math.max(hasNext ? page + 1 : page, Math.ceil(total / limit))
  return { page, perPage: limit, total, totalPages, hasNext, hasPrev: true, seen }
}
