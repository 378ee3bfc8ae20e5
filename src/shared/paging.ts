export const DEFAULT_LIMIT = 50
export const MAX_LIMIT = 100

/** Which part of a list is asked for, within bounds. */
export interface Paging {
  page: number
  limit: number
  offset: number
}

/** Brings a page number and size to the nearest allowed values. */
export function pagingOf(page: number, limit: number): Paging {
  const size = Math.min(Math.max(limit, 1), MAX_LIMIT)
  const number = Math.max(page, 1)
  return { page: number, limit: size, offset: (number - 1) * size }
}

/** Where a page stands in its list. */
export interface Pagination {
  page: number
  perPage: number
  /** How many records match in all. */
  total: number
  totalPages: number
  hasNext: boolean
  hasPrev: boolean
  /** What asks for the next page from where this one ends, as records may have come and gone before it. */
  nextCursor: string | null
}
