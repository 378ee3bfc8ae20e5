import type { Client } from './client.js'

/** A list that is copied, and how its records change. */
export interface Copied {
  path: string
  /** The filter, and the field whose last value a reader goes on from. */
  after: string
  field: string
  /** What else asks for the order of a copy. */
  order: string
}

export const COPIED: Record<'contacts' | 'opportunities' | 'conversations', Copied> = {
  contacts: order('/contacts'),
  opportunities: order('/opportunities'),
  conversations: { path: '/conversations', after: 'last_message_after', field: 'last_message_at', order: '' },
}

function order(path: string): Copied {
  return { path, after: 'updated_after', field: 'updated_at', order: '&sort_by=updated_at&sort_order=asc' }
}

export const BEGINNING = '2000-01-01T00:00:00.000Z'

/** What a reader has seen of each record, by its id: the field's latest value. */
export type Copy = Map<string, string>

/** One run of a reader from a time on: it puts what it sees into the copy, and returns the last value of the field. */
export type Run = (client: () => Client, from: string, copy: Copy) => Promise<string>

/** The three ways in which a list may be copied. */
export function waysOf(list: Copied, limit: number): Record<'resuming' | 'by cursor' | 'by number', Run> {
  const { path, after, field, order } = list
  const read = async (client: Client, from: string, more: string, copy: Copy) => {
    const url = `${path}?${after}=${encodeURIComponent(from)}${order}&limit=${limit}${more}`
    const { status, body } = await client.get(url)
    if (status !== 200) throw new Error(`${url} answered ${status}: ${JSON.stringify(body)}`)
    for (const record of body.data) {
      if (record[field] > (copy.get(record.id) ?? '')) copy.set(record.id, record[field])
    }
    return { body, last: body.data.at(-1)?.[field] as string | undefined }
  }
  return {
    resuming: async (client, from, copy) => {
      for (let at = from; ; ) {
        const { body, last } = await read(client(), at, '', copy)
        if (body.data.length < limit) return last ?? at
        at = last!
      }
    },
    'by cursor': async (client, from, copy) => {
      let at = from
      for (let more = ''; ; ) {
        const { body, last } = await read(client(), from, more, copy)
        at = last ?? at
        if (body.pagination.next_cursor === null) return at
        more = `&cursor=${body.pagination.next_cursor}`
      }
    },
    'by number': async (client, from, copy) => {
      let at = from
      for (let page = 1; ; page++) {
        const { body, last } = await read(client(), from, `&page=${page}`, copy)
        at = last ?? at
        if (!body.pagination.has_next) return at
      }
    },
  }
}
