/** What every list's answer has. */
interface Page<Item> {
  data: Item[]
  pagination: { next_cursor: string | null }
}

/** The records that changed, of one page, and where to go on once they are stored. */
export interface Changes<Item> {
  records: Item[]
  /** The last `updated_at` of the records: give it as `updated_after` the next time. */
  bookmark: string
}

const BEGINNING = '1970-01-01T00:00:00.000Z'
const LARGEST_PAGE = 100

type Ask<Item> = (place: { cursor?: string; limit?: number }) => Promise<Page<Item>>

/** All pages of a list, by its cursors. */
async function* pages<Item>(ask: Ask<Item>): AsyncGenerator<Item[]> {
  let cursor: string | null | undefined
  do {
    const { data, pagination } = await ask({ limit: LARGEST_PAGE, ...(cursor && { cursor }) })
    yield data
    cursor = pagination.next_cursor
  } while (cursor !== null)
}

/** All records of a list, page after page, as they are asked for. */
export async function* records<Item>(ask: Ask<Item>): AsyncGenerator<Item> {
  for await (const page of pages(ask)) yield* page
}

/** What an incremental copy asks by. */
interface ChangesQuery {
  updated_after: string
  sort_by: 'updated_at'
  sort_order: 'asc'
  cursor?: string
  limit?: number
}

/** Everything that changed since a bookmark, oldest first; without one, everything. The bookmark's own records come again. */
export async function* changes<Item extends { updated_at: string }>(
  since: string | Date | undefined,
  ask: (query: ChangesQuery) => Promise<Page<Item>>,
): AsyncGenerator<Changes<Item>> {
  const from = since instanceof Date ? since.toISOString() : (since ?? BEGINNING)
  const order = { updated_after: from, sort_by: 'updated_at', sort_order: 'asc' } as const
  for await (const page of pages((place) => ask({ ...order, ...place }))) {
    const last = page.at(-1)
    if (last) yield { records: page, bookmark: last.updated_at }
  }
}
