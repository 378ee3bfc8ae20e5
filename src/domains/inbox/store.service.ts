import type { Database } from '../../database/index.js'
import type { ChannelKind, Told } from '../../integrations/channels/index.js'
import { Gatherer } from '../../kit/gather.js'

const STORE = `insert into channel_notice (kind, number_id, lane, what)
  select kind, number_id, lane, what
  from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[]) with ordinality t (kind, number_id, lane, what, place)
  order by place`

/** Stores what providers tell, before they are answered. */
export class Inbox {
  private readonly gatherer = new Gatherer<{ kind: ChannelKind; told: Told }>((all) =>
    this.database.pool.query(STORE, [
      all.map(({ kind }) => kind),
      all.map(({ told: { numberId } }) => numberId),
      all.map(({ told: { lane } }) => lane),
      all.map(({ told: { what } }) => JSON.stringify(what)),
    ]),
  )

  constructor(private readonly database: Database) {}

  /** Resolves when all of it is stored for good. */
  store(kind: ChannelKind, told: readonly Told[]): Promise<void> {
    if (told.length === 0) return Promise.resolve()
    return this.gatherer.add(told.map((one) => ({ kind, told: one })))
  }
}
