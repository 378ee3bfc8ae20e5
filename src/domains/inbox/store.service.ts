import type { Database } from '../../database/index.js'
import type { ChannelKind, Told } from '../../integrations/channels/index.js'

const STORE = `insert into channel_notice (kind, number_id, lane, what)
  select kind, number_id, lane, what
  from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[]) with ordinality t (kind, number_id, lane, what, place)
  order by place`

/** What waits to be stored together, and who waits for it. */
interface Batch {
  told: { kind: ChannelKind; told: Told }[]
  stored: PromiseWithResolvers<void>
}

/**
 * Stores what providers tell, before they are answered. What comes while a statement is under way goes with the next one
 * together, so that much at once takes few commits; the order is that of arrival.
 */
export class Inbox {
  private next?: Batch
  private isStoring = false

  constructor(private readonly database: Database) {}

  /** Resolves when all of it is stored for good. */
  store(kind: ChannelKind, told: readonly Told[]): Promise<void> {
    if (told.length === 0) return Promise.resolve()
    this.next ??= { told: [], stored: Promise.withResolvers() }
    const { next } = this
    next.told.push(...told.map((one) => ({ kind, told: one })))
    if (!this.isStoring) void this.storeAll()
    return next.stored.promise
  }

  private async storeAll(): Promise<void> {
    this.isStoring = true
    while (this.next) {
      const { told, stored } = this.next
      this.next = undefined
      try {
        await this.database.pool.query(STORE, [
          told.map(({ kind }) => kind),
          told.map(({ told: { numberId } }) => numberId),
          told.map(({ told: { lane } }) => lane),
          told.map(({ told: { what } }) => JSON.stringify(what)),
        ])
        stored.resolve()
      } catch (error) {
        stored.reject(error)
      }
    }
    this.isStoring = false
  }
}
