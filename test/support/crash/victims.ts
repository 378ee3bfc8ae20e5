import { randomUUID } from 'node:crypto'
import { type Database, Scope } from '../../../src/database/index.js'
import { Agencies, AgencyTokens, SCOPES } from '../../../src/domains/agencies/index.js'
import { SeatBilling } from '../../../src/domains/billing/index.js'
import { createAgencyClient, newClient } from '../agencies.js'
import type { Answer } from '../client.js'
import { withSession } from '../factories/people.js'
import { dataOf } from '../graphql.js'
import { Lock, until } from './locks.js'
import type { Held, Stop, StoppedProvider } from './providers.js'

/**
 * How far a process has come when it dies: the event is stored and nothing else; what is asked for is reserved and the
 * provider asked, without effect; the provider has collected, and the answer is not stored; it is stored, and the seats are
 * not in force, though the transaction that does so is at its end; they are, and the caller has no answer.
 */
export const BOUNDARIES = ['begun', 'reserved', 'collected', 'stored', 'finished'] as const
export type Boundary = (typeof BOUNDARIES)[number]

export type Kind = 'creation' | 'raise' | 'deletion' | 'trialEnd'
/** What is paid for in the end, where the call comes to what it asks for. */
export const SEATS: Readonly<Record<Kind, number>> = { creation: 2, raise: 5, deletion: 0, trialEnd: 2 }

/** Where processes are stopped, and with what. */
export interface Scene {
  url: string
  database: Database
  stopped: StoppedProvider
  /** The session of an operator. */
  operator: string
}

interface Found {
  status: string
  attempts: number
  deferred: boolean
}

const SEAT_PRICE = 1000
/** How long turns are held, at most. */
const LEASE = '60 seconds'

const EVENT = `select id, status, attempts, deferred from agency_event where agency_id = $1 and action = $2`
const ACTIONS = {
  creation: 'sub_account.create',
  raise: 'sub_account.channels.update',
  deletion: 'sub_account.delete',
  trialEnd: 'sub_account.trial.end',
}
const START_TRIAL =
  'mutation ($id: ID!, $endsAt: DateTime!) { startTrial(subAccountId: $id, endsAt: $endsAt) { status } }'
const END_TRIAL = 'mutation ($id: ID!) { endTrial(subAccountId: $id) { status } }'
/** Into which a trial that runs will not end by itself. */
const DAY_MS = 86_400_000
const ACTIVE = `select id from sub_account where agency_id = $1 and status = 'active'`
const CHARGED = `select state from seat_charge where agency_id = $1 and key = $2::text`
// Others stand still beside it, and that takes time. Of one that a dead process has had, the lease has gone by until it is taken up.
const KEPT = `update agency_event set due_at = now() + interval '1 hour'
  where agency_id = $1 and status = 'processing' and due_at > now() returning id`
const EVENT_LEASE = `update agency_event set due_at = now() where agency_id = $1 and status in ('pending', 'processing')`
const PAUSE = `update agency_event set due_at = now() where agency_id = $1 and status = 'pending' and due_at > now()`
const TURN_LEASE = 'update billing_standing set turn_until = turn_until - $2::interval where agency_id = $1'

/** One agency with a call of its own, which is stopped at a boundary by locks and by the provider. */
export class Victim {
  readonly key = randomUUID()
  /** The admin of the sub-account that the call is about. */
  readonly body: Record<string, unknown> & { name: string; admin_email: string }
  private readonly locks: Lock[] = []
  private held?: Held
  private answer?: Promise<Answer | undefined>

  private constructor(
    private readonly scene: Scene,
    readonly kind: Kind,
    readonly boundary: Boundary,
    private readonly agency: { id: string; agencyKey: string; customerId: string; token: string },
    private readonly stop?: Stop,
  ) {
    const channels = kind === 'trialEnd' ? {} : { linkedin: 2 }
    this.body = newClient({ channels, external_ref: 'it' })
  }

  /** A new agency with what the call needs; the sub-account that the call is about is made by a server that lives. */
  static async make(scene: Scene, kind: Kind, boundary: Boundary, origin: string, stop?: Stop): Promise<Victim> {
    const { database, stopped } = scene
    const given = { name: 'Quedas', seatPriceCents: SEAT_PRICE, paymentMethod: 'pm_card_visa' }
    const { id, agencyKey, billingCustomer } = await new Agencies(database, stopped.provider).create(given)
    const { secret } = await new AgencyTokens(database).create(agencyKey, Object.keys(SCOPES))
    const agency = { id, agencyKey, customerId: billingCustomer!, token: secret }
    const victim = new Victim(scene, kind, boundary, agency, stop)
    await new SeatBilling(database, stopped.provider).inTurn(id, async () => {}) // its books are open
    if (kind === 'creation') return victim
    expect([201, 202]).toContain((await victim.client(origin).create(victim.body)).status)
    await until('its client is there', async () => (await victim.query(ACTIVE, [id])).length > 0)
    if (kind === 'trialEnd') await victim.startTrial(origin)
    // Else a job that tells the provider has the agency's turn now and then, and is what stands still.
    await victim.query('update billing_standing set seats_told = 0 where agency_id = $1', [id])
    return victim
  }

  client(origin: string) {
    return createAgencyClient(origin, this.agency.agencyKey, this.agency.token)
  }

  /** Whether a call of this kind comes to a boundary: what is deleted costs nothing. */
  static comesTo(kind: Kind, boundary: Boundary): boolean {
    return kind !== 'deletion' || !['reserved', 'collected'].includes(boundary)
  }

  /** Calls, by a server; a trial is ended by an operator. */
  async call(origin: string): Promise<Answer> {
    const client = this.client(origin)
    const headers = { 'Idempotency-Key': this.key }
    if (this.kind === 'creation') return client.create(this.body, headers)
    if (this.kind === 'deletion') return client.remove('ext:it', headers)
    if (this.kind === 'raise') return client.channels('ext:it', { linkedin: 5 }, headers)
    return this.asOperator(origin).graphql(END_TRIAL, { id: await this.subAccount() })
  }

  /** Calls, and forgets of it: the server dies before it has an answer. */
  callInVain(origin: string): void {
    this.answer = this.call(origin).catch(() => undefined)
  }

  /** Has whoever carries out the event stop at a boundary, its own or an earlier one; `begin` is what sets it going. */
  async stopAt(boundary: Boundary, begin: () => Promise<void> | void): Promise<void> {
    const standing = await this.lock('billing_standing', this.agency.id)
    await begin()
    await this.waitsFor(standing)
    await until(`${this.kind} has begun`, async () => (await this.query(KEPT, [this.agency.id])).length > 0)
    if (boundary === 'begun') return
    // What the last transaction needs and none before it, after it has made sure of its turn.
    const people = this.kind === 'deletion' ? await this.lockPeople() : undefined
    if (this.kind !== 'deletion') this.held = await this.scene.stopped.hold(this.agency.customerId, this.stop)
    await this.letOff(standing)
    if (people) return this.stopLate(boundary, people)
    await this.held!.met()
    await this.expectAt('reserved')
    if (boundary === 'reserved') return
    if (boundary === 'collected') {
      const turn = await this.lock('billing_standing', this.agency.id)
      await this.letGo()
      return this.waitsFor(turn)
    }
    const end = await this.lock('agency_event', (await this.event()).id, 'id')
    await this.letGo()
    return this.stopLate(boundary, end)
  }

  /** After the process is dead: ends the locks, and waits until its transactions are no more. */
  async bury(): Promise<void> {
    await this.answer
    await this.held?.release(true)
    this.held = undefined
    await Promise.all(this.locks.splice(0).map((lock) => lock.release(this.scene.database.pool)))
  }

  /** Ends the locks, if a test ends before anybody has died. */
  async leave(): Promise<void> {
    await this.held?.release()
    await Promise.all(this.locks.splice(0).map((lock) => lock.release()))
  }

  /** As if the lease of its turn had gone by, should a dead process have had it. */
  async turnPasses(): Promise<void> {
    await this.query(TURN_LEASE, [this.agency.id, LEASE])
  }

  /** As if the lease of its event had gone by: a worker takes it up. */
  async eventPasses(): Promise<void> {
    await this.query(EVENT_LEASE, [this.agency.id])
  }

  /** As if the pause had gone by after which its event is tried again. */
  async pausePasses(): Promise<void> {
    await this.query(PAUSE, [this.agency.id])
  }

  /** The event of the call. */
  async event(): Promise<Found & { id: string }> {
    const [event] = await this.query<Found & { id: string }>(EVENT, [this.agency.id, ACTIONS[this.kind]])
    if (!event) throw new Error('the call has no event')
    return event
  }

  /** Waits until what is true at a boundary is so: a job may have been stopped first, and not the call. */
  async expectAt(boundary: Boundary): Promise<void> {
    const states = { begun: undefined, reserved: 'pending', collected: 'pending', stored: 'paid', finished: 'applied' }
    const expected = [
      boundary === 'finished' ? 'processed' : 'processing',
      this.kind === 'deletion' ? undefined : states[boundary],
    ]
    await until(`${this.kind} is ${expected}`, async () => {
      const [event] = await this.query<Found & { id: string }>(EVENT, [this.agency.id, ACTIONS[this.kind]])
      if (!event) return false
      const [charge] = await this.query<{ state: string }>(CHARGED, [this.agency.id, event.id])
      return event.status === expected[0] && charge?.state === expected[1]
    })
  }

  /** Makes sure that who has the event is who has been stopped: a worker who lives takes it for a minute only. */
  async expectKept(): Promise<void> {
    const kept = `select coalesce(due_at > now() + interval '5 minutes', true) as kept from agency_event where id = $1`
    const [event] = await this.query<{ kept: boolean }>(kept, [(await this.event()).id])
    if (!event!.kept) throw new Error('another has taken the event over')
  }

  async ended(): Promise<Found & { id: string }> {
    await until(`${this.kind} ends`, async () => !['processing', 'pending'].includes((await this.event()).status))
    return this.event()
  }

  get agencyId(): string {
    return this.agency.id
  }

  get customerId(): string {
    return this.agency.customerId
  }

  collected(): Promise<{ cents: number; payments: number }> {
    return this.scene.stopped.collected(this.agency.customerId)
  }

  seats(): Promise<number> {
    const { database, stopped } = this.scene
    return new SeatBilling(database, stopped.provider).seatsOf(Scope.ofAgency(database, this.agency.id))
  }

  async query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.scene.database.pool.query(text, values)).rows
  }

  /** Stops in the last transaction, or right after its commit: then the turn cannot be given back. */
  private async stopLate(boundary: Boundary, end: Lock): Promise<void> {
    await this.waitsFor(end)
    if (boundary === 'stored') return
    const next = await Lock.open(this.scene.url)
    this.locks.push(next)
    await next.guard(this.agency.id)
    await this.letOff(end)
    await this.waitsFor(next)
  }

  private async letOff(lock: Lock): Promise<void> {
    this.locks.splice(this.locks.indexOf(lock), 1)
    await lock.release()
  }

  private async lock(table: string, value: string, column = 'agency_id'): Promise<Lock> {
    const lock = await Lock.open(this.scene.url)
    this.locks.push(lock)
    await lock.take(table, column, value)
    return lock
  }

  private async lockPeople(): Promise<Lock> {
    return this.lock('app_user', await this.subAccount(), 'account_id')
  }

  private async subAccount(): Promise<string> {
    const found = 'select id from sub_account where agency_id = $1'
    return (await this.query<{ id: string }>(found, [this.agency.id]))[0]!.id
  }

  private asOperator(origin: string) {
    return withSession(origin, this.scene.operator)
  }

  /** Two seats, which are free while the trial runs. */
  private async startTrial(origin: string): Promise<void> {
    const given = { id: await this.subAccount(), endsAt: new Date(Date.now() + DAY_MS).toISOString() }
    expect(dataOf(await this.asOperator(origin).graphql(START_TRIAL, given))).toEqual({ status: 'PROCESSED' })
    expect((await this.client(origin).channels('ext:it', { whatsapp: 2 })).status).toBe(200)
  }

  private async letGo(): Promise<void> {
    await this.held!.release()
    this.held = undefined
  }

  private waitsFor(lock: Lock): Promise<void> {
    return until(`${this.kind} waits for what the test holds`, () => lock.stops(this.scene.database.pool))
  }
}
