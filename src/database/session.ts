import type pg from 'pg'
import { TENANT_ROLE } from './tenant.js'

/** How long a statement of a request may take, and of that, how long it may wait for a lock. */
export interface Limits {
  statementMs: number
  lockMs: number
}

// One spelling of timestamps, whatever the server's or the database's own setting is.
const SETTINGS = { timezone: 'UTC', datestyle: 'ISO' }

// Locks of a process that stands still are let go, too.
const settingsOf = ({ statementMs, lockMs }: Limits) => ({
  statement_timeout: statementMs,
  lock_timeout: lockMs,
  idle_in_transaction_session_timeout: statementMs,
})

const OURS = 'begin; select set_config('
/** Ends what `beginWith` began. */
export const END = 'end'

/** Whether a text is of those that only bring settings to the server: the same for every endpoint. */
export const isSetting = (text: string): boolean =>
  text.startsWith('select set_config(') || text.startsWith(OURS) || text === END

/**
 * What connections have set. A server keeps it for each of them; behind a pooler, where each transaction may be another
 * server connection's, it goes along with each transaction.
 */
export class Session {
  constructor(
    /** Whether there is a pooler that hands server connections out for one transaction each. */
    readonly pooled: boolean,
    private readonly limits: Limits,
  ) {}

  /**
   * The address with what its connections have set from the start. The ORM reads host, user and database of it; its
   * parameters, such as sslmode, are for the driver itself.
   */
  address(url: string, { limited = false, options = [] as readonly string[] } = {}): string {
    if (this.pooled) return url // a pooler refuses such parameters, or ignores them
    const address = new URL(url)
    const settings = { ...SETTINGS, ...(limited && settingsOf(this.limits)) }
    const given = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
    const all = [...given, ...options, address.searchParams.get('options') ?? '']
    address.searchParams.set('options', all.join(' ').trim())
    return address.href
  }

  /** Sets a new connection up; a pooler notes these two, and brings them to each server connection. */
  open(client: pg.ClientBase): void {
    if (!this.pooled) return
    const text = Object.entries(SETTINGS).map(([name, value]) => `set ${name} = '${value}'`)
    void client.query(text.join('; ')).catch(() => {}) // then the connection is lost, as who uses it will see
  }

  /** What a transaction that has just begun sets for itself: the limits behind a pooler, and the account of its wall. */
  enter(account: string | undefined): string | undefined {
    const limits = this.pooled ? settingsOf(this.limits) : {}
    const wall = account === undefined ? {} : { role: TENANT_ROLE, 'app.account': account }
    const settings = Object.entries({ ...limits, ...wall })
    if (settings.length === 0) return undefined
    return `select ${settings.map(([name, value]) => `set_config('${name}', ${quoted(value)}, true)`).join(', ')}`
  }

  /** Begins a transaction for one statement, with what it sets, as one message. */
  beginWith(account: string | undefined): string {
    return `begin; ${this.enter(account)}`
  }
}

const quoted = (value: string | number) => `'${String(value).replaceAll("'", "''")}'`
