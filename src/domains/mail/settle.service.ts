import type { Database } from '../../database/index.js'
import { Gatherer } from '../../kit/gather.js'
import type { MailStatus } from './mail.entity.js'

/** What a mail that this process has claimed has come to. */
export interface Settlement {
  id: string
  status: MailStatus
  error: string | null
  /** Seconds until it is tried again; null when it is not. */
  pause: number | null
  /** The attempt that this is of. */
  attempts: number
}

// The words of a server may name the person, so they go where the contact has gone; a mail to nobody is not tried again. In
// the order of their ids, as all do who hold several mails.
const SETTLE = `with settled as (
    select * from unnest($1::uuid[], $2::text[], $3::text[], $4::float8[], $5::int[]) s (id, status, error, pause, attempts)),
  held as (
    select m.id from mail m where m.id = any($1) order by m.id for no key update)
  update mail m set error = case when m.contact_id is not null then s.error end,
    status = case when s.status = 'queued' and m.contact_id is null then 'suppressed' else s.status end,
    due_at = case when m.contact_id is not null then now() + s.pause * interval '1 second' end,
    sent_at = case when s.status = 'sent' then now() end
  from settled s join held on held.id = s.id
  where m.id = s.id and m.status = 'sending' and m.attempts = s.attempts`

const MAX_AT_ONCE = 200

/** Stores what mails have come to, of many at once together. */
export class Settlements {
  private readonly gatherer = new Gatherer<Settlement>((settlements) => this.write(settlements), MAX_AT_ONCE)

  constructor(private readonly database: Database) {}

  /** Resolves once it is stored. */
  store(settlement: Settlement): Promise<void> {
    return this.gatherer.add([settlement])
  }

  private async write(settlements: readonly Settlement[]): Promise<void> {
    const column = <Name extends keyof Settlement>(name: Name) => settlements.map((one) => one[name])
    const columns = [column('id'), column('status'), column('error'), column('pause'), column('attempts')]
    await this.database.pool.query({ name: 'settle mails', text: SETTLE, values: columns })
  }
}

const all = new WeakMap<Database, Settlements>()

/** Those of a database. */
export function settlementsOf(database: Database): Settlements {
  let found = all.get(database)
  if (!found) {
    found = new Settlements(database)
    all.set(database, found)
  }
  return found
}
