import type pg from 'pg'
import { isLate, Outage } from '../failures.js'
import { type Figures, statementsOver } from '../figures.js'
import { type Awaiting, isLost, stillAwaits } from './awaiting.js'
import { awaitedBy, backendOf, cancel, cut } from './driver.js'
import { type Backends, Pulse } from './pulse.js'
import { type Claim, Shares } from './shares.js'

export interface RequestPoolOptions {
  pool: pg.Pool
  /** Makes a connection beside the pool. */
  connect: () => pg.Client
  /** How long a request waits for a connection. */
  waitMs: number
  /** How long an answer may take before its connection is cut. */
  answerMs: number
  figures: Figures
  log: (level: 'debug' | 'warn', message: string) => void
}

/** A connection that is in use. */
interface Lease extends Awaiting {
  claim: Claim
  /** Where it stands among those in use. */
  place: number
  /** Undefined while it is being made. */
  client?: pg.PoolClient
  /** Whether an answer took too long. */
  late?: boolean
  /** The request to cancel that is on its way. */
  cancelling?: Promise<void>
}

const LOOK_MS = 250
/** An answer that takes longer than this is asked after. */
const SLOW_MS = 1000
/** How long nobody must have got an answer for the database to count as silent. */
const SILENT_MS = 3000
const BEAT_EVERY_MS = 500
const MAKING = {}

/**
 * The connections that requests work with. They are shared out fairly. Statements of callers who have left are cancelled.
 * Connections that their backend does not know of any more are cut, and all of them when the database falls silent; then
 * requests are refused at once, until it answers again.
 */
export class RequestPool {
  readonly pool: pg.Pool
  private readonly shares: Shares
  private readonly pulse: Pulse
  /**
   * Those in use, in no order. A set would do, but what a set has dropped it may keep from the collector of young objects:
   * its tables are chained, and the answers of all that were in them would grow old.
   */
  private readonly leases: Lease[] = []
  private readonly idle = new Set<pg.PoolClient>()
  private readonly looking: NodeJS.Timeout
  private beats = 0
  private nextBeat = 0
  private silent = false

  constructor(private readonly options: RequestPoolOptions) {
    const { pool, connect, waitMs } = options
    this.pool = pool
    this.shares = new Shares(pool.options.max, waitMs)
    this.pulse = new Pulse(connect)
    pool.on('connect', (client) => client.on('error', () => {})) // whoever waits for an answer gets the error
    pool.on('acquire', (client) => this.idle.delete(client))
    pool.on('release', (_error, client) => this.idle.add(client))
    pool.on('remove', (client) => this.idle.delete(client))
    this.looking = setInterval(() => this.look(), LOOK_MS).unref()
  }

  /** Runs work with a connection; SERVICE_UNAVAILABLE's cause is thrown where there is none in time. */
  async use<T>(claim: Claim, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    if (this.silent) throw new Outage('The database does not answer.')
    const waiting = this.shares.acquire(claim)
    if (waiting) await this.measured(waiting)
    const lease: Lease = { claim, place: this.leases.length, awaited: MAKING, since: performance.now(), strange: 0 }
    this.leases.push(lease)
    try {
      const result = await this.work(lease, work)
      lease.late = false
      return result
    } catch (error) {
      lease.late ||= isLate(error) || undefined
      throw error
    } finally {
      this.drop(lease)
      this.shares.release(claim, lease.late)
    }
  }

  private drop({ place }: Lease): void {
    const last = this.leases.pop()!
    if (place === this.leases.length) return
    this.leases[place] = last
    last.place = place
  }

  private holds(lease: Lease): boolean {
    return this.leases[lease.place] === lease
  }

  /** Connections that are in use, and claims that wait for one. */
  get inUse(): number {
    return this.leases.length
  }

  get waiting(): number {
    return this.shares.waiting
  }

  /** Whether work of this kind met a lock or the limit of time of late. */
  suspects({ kind }: Claim): boolean {
    return this.shares.isSuspect(kind)
  }

  /** Whether the database has stopped answering, so that requests are refused. */
  get isSilent(): boolean {
    return this.silent
  }

  private async measured(waiting: Promise<void>): Promise<void> {
    const begin = performance.now()
    try {
      await waiting
    } finally {
      this.options.figures.waited((performance.now() - begin) / 1000)
    }
  }

  /** Whether the database answers. */
  async answers(): Promise<boolean> {
    return (await this.pulse.beat([])) !== undefined
  }

  async close(): Promise<void> {
    const now = performance.now()
    for (const lease of this.leases) if (lease.client) this.lookAt(lease, lease.client, now) // whose caller has just left
    clearInterval(this.looking)
    this.shares.dismiss(new Outage('The process ends.'))
    await this.pool.end()
  }

  private async work<T>(lease: Lease, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    if (lease.claim.caller?.gone?.()) throw new Outage('The caller has left.')
    const client = await this.pool.connect()
    const before = statementsOver(client)
    lease.client = client
    lease.awaited = null
    try {
      return await work(client)
    } finally {
      lease.claim.caller?.sent?.(statementsOver(client) - before)
      if (lease.cancelling) await lease.cancelling
      client.release()
    }
  }

  /** What is seen to four times a second; it costs nothing while every answer comes in time. */
  private look(): void {
    const now = performance.now()
    for (const lease of this.leases) if (lease.client) this.lookAt(lease, lease.client, now)
    this.shares.dismiss()
    const slow = this.leases.filter(({ awaited, since }) => awaited && now - since >= SLOW_MS)
    const isDue = now >= this.nextBeat && (this.silent || (slow.length > 0 && this.beats === 0))
    if (!isDue) return
    this.nextBeat = now + BEAT_EVERY_MS
    void this.feel(slow)
  }

  private lookAt(lease: Lease, client: pg.PoolClient, now: number): void {
    if (!stillAwaits(lease, client, now)) return
    if (now - lease.since > this.options.answerMs) {
      lease.late = true
      cut(client)
    } else if (!lease.cancelling && lease.claim.caller?.gone?.()) {
      lease.cancelling = cancel(client, this.options.connect())
    }
  }

  private async feel(slow: readonly Lease[]): Promise<void> {
    const asked = slow.map(({ awaited }) => awaited)
    this.beats++
    const backends = await this.pulse.beat(slow.flatMap(({ client }) => (client ? [backendOf(client)] : [])))
    this.beats--
    if (!backends) return this.missed(slow)
    if (this.silent) this.options.log('warn', 'The database answers again.')
    this.silent = false
    for (const [i, lease] of slow.entries()) if (lease.awaited === asked[i]) this.judge(lease, backends)
  }

  private judge(lease: Lease, backends: Backends): void {
    const { client, awaited } = lease
    if (!client || !this.holds(lease) || awaitedBy(client) !== awaited) return
    if (!isLost(lease, client, backends)) return
    this.options.log('warn', 'A connection to the database was dead, and is replaced.')
    cut(client)
    this.cutIdle() // what happened to one may have happened to those that were not used meanwhile
  }

  private missed(slow: readonly Lease[]): void {
    const now = performance.now()
    const isWaiting = (lease: Lease) => this.holds(lease) && lease.awaited && now - lease.since >= SILENT_MS
    if (this.silent || !slow.some(isWaiting)) return
    this.silent = true
    this.options.log('warn', 'The database does not answer; requests are refused until it does.')
    for (const { client } of this.leases) if (client) cut(client)
    this.cutIdle()
    this.shares.dismiss(new Outage('The database does not answer.'))
  }

  private cutIdle(): void {
    for (const client of this.idle) cut(client)
  }
}
