import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { Scope } from '../../src/database/index.js'
import { Agencies, AgencyTokens, SCOPES } from '../../src/domains/agencies/index.js'
import { reconcileAbandoned, renewDue, SeatBilling } from '../../src/domains/billing/index.js'
import { provisioningMeans, startEventWorker } from '../../src/domains/sub-accounts/index.js'
import { SandboxBilling } from '../../src/integrations/billing/index.js'
import { smallestCharge } from '../../src/shared/smallest-charge.js'
import { type AgencyClient, createAgencyClient, ended, newClient } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { BillingModel, boundaryOf } from '../support/billing-model.js'
import { compareMoney } from '../support/billing-sums.js'
import type { Answer, Client } from '../support/client.js'
import { makeOperator, signIn } from '../support/factories/people.js'
import { dataOf } from '../support/graphql.js'

// An agency calls in any order, its card declines, the provider fails, cycles end: after each call the answer, the
// sub-accounts and the ledger are what a plain model says.

const FULL = process.env.FULL === 'true'
const RUNS = Number(process.env.RUNS ?? (FULL ? 50 : 4))
const COMMANDS = FULL ? 60 : 25
const SEED = process.env.SEED === undefined ? undefined : Number(process.env.SEED)

const PACE = { leaseMs: 60_000, retryMs: 2 }
const CARDS = { pays: 'pm_card_visa', declines: 'pm_card_chargeCustomerFail' }
const OUTAGES = ['down', 'busy', 'lost_before', 'lost_after', 'error_before', 'error_after'] as const
const MAX_ATTEMPTS = 5
const START = 'mutation ($id: ID!, $endsAt: DateTime!) { event: startTrial(subAccountId: $id, endsAt: $endsAt) { id } }'
const END = 'mutation ($id: ID!) { event: endTrial(subAccountId: $id) { id } }'
const IN_A_WEEK = () => new Date(Date.now() + 7 * 86_400_000).toISOString()

let service: TestApp
let operator: Client
let worker: { stop(): Promise<void> }
let now = new Date()
const clock = () => now
beforeAll(async () => {
  service = await startTestApp({ events: PACE })
  const { database } = service
  // Money moves by the test's clock.
  const provisioning = database.needs.get(provisioningMeans)
  provisioning.billing = new SeatBilling(database, new SandboxBilling(database, clock), clock)
  worker = startEventWorker(provisioning, { pollMs: 5 })
  const { email } = await makeOperator(service)
  operator = (await signIn(service, email)).client
})
afterAll(async () => {
  await worker.stop()
  await service.stop()
})

interface Outage {
  kind: (typeof OUTAGES)[number]
  times: number
}
type Command =
  | { do: 'create'; seats: number; outage?: Outage }
  | { do: 'set'; sub: number; seats: number; outage?: Outage }
  | { do: 'delete' | 'trial'; sub: number }
  | { do: 'repeat' | 'reconcile' }
  | { do: 'card'; card: keyof typeof CARDS }
  | { do: 'wait'; fraction: number; seconds: number; renews: boolean }

const sub = fc.nat({ max: 3 })
const seats = fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 40 }))
const outage = fc.option(fc.record({ kind: fc.constantFrom(...OUTAGES), times: fc.constantFrom(1, 2, MAX_ATTEMPTS) }), {
  nil: undefined,
  freq: 2,
})
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const), seats, outage }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('set' as const), sub, seats, outage }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), sub }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('trial' as const), sub }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('repeat' as const, 'repeat' as const, 'reconcile' as const) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('card' as const),
      card: fc.constantFrom('pays' as const, 'pays' as const, 'declines' as const),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      fraction: fc.constantFrom(0.25, 0.5, 0.995, 1, 1, 2.3),
      seconds: fc.constantFrom(-1, 0, 1, 4711),
      renews: fc.boolean(),
    }),
  },
)
const setting = fc.record({
  anchor: fc.date({
    min: new Date('2023-11-01T00:00:00Z'),
    max: new Date('2026-03-31T00:00:00Z'),
    noInvalidDate: true,
  }),
  price: fc.constantFrom(0, 7, 40, 333, 4900),
  currency: fc.constantFrom('BRL', 'JPY', 'GBP'),
})
type Setting = typeof setting extends fc.Arbitrary<infer T> ? T : never

interface Sub {
  id: string
  name: string
  whatsapp: number
  inTrial: boolean
}

/** One agency, as it is and as the model has it. */
class World {
  private readonly subs: Sub[] = []
  private last?: { call: () => Promise<Answer>; answer: Answer; created?: string; collected?: bigint }
  private readonly sandbox = new SandboxBilling(service.database, clock)

  private constructor(
    private readonly agency: { id: string; customerId: string; anchor: Date },
    private readonly client: AgencyClient,
    private readonly model: BillingModel,
  ) {}

  static async of({ anchor, price, currency }: Setting): Promise<World> {
    now = anchor
    const { database, origin } = service
    const given = { name: 'Modelo', seatPriceCents: price, currency, paymentMethod: CARDS.pays }
    const agency = await new Agencies(database, new SandboxBilling(database, clock), clock).create(given)
    const { secret } = await new AgencyTokens(database).create(agency.agencyKey, Object.keys(SCOPES))
    const second = Math.floor(anchor.getTime() / 1000)
    const model = new BillingModel(agency.anchor, BigInt(price), BigInt(smallestCharge(currency)), second)
    const { id, billingCustomer } = agency
    await database.needs.get(provisioningMeans).billing.inTurn(id, async () => {})
    return new World(
      { id, customerId: billingCustomer!, anchor: agency.anchor },
      createAgencyClient(origin, agency.agencyKey, secret),
      model,
    )
  }

  async run(command: Command): Promise<void> {
    const found = 'sub' in command ? this.subs[command.sub % Math.max(this.subs.length, 1)] : undefined
    if ('sub' in command && !found) return
    switch (command.do) {
      case 'create':
        return this.create(command.seats, command.outage)
      case 'set':
        return this.set(found!, command.seats, command.outage)
      case 'delete':
        return this.remove(found!)
      case 'trial':
        return found!.inTrial ? this.endTrial(found!) : this.startTrial(found!)
      case 'repeat':
        return this.repeat()
      case 'reconcile':
        return reconcileAbandoned(service.database, { provider: this.sandbox, clock })
      case 'card':
        await new Agencies(service.database, this.sandbox).changePaymentMethod(this.agency.id, CARDS[command.card])
        this.model.card = command.card
        return
      case 'wait':
        this.passTo(command)
        return command.renews ? this.renew() : undefined
    }
  }

  /** What the model says is so. */
  async compare(): Promise<void> {
    const { database } = service
    const db = Scope.ofAgency(database, this.agency.id)
    const { billing } = database.needs.get(provisioningMeans)
    await compareMoney(database, billing, this.agency, this.model)
    const held = await Promise.all(this.subs.map(({ id }) => billing.seatsOf(db, id)))
    expect(held).toEqual(this.subs.map(({ name }) => this.model.seatsOf(name)))
    const { rows } = await database.pool.query(
      `select id, whatsapp, trial_ends_at is not null as "inTrial" from sub_account
        where agency_id = $1 and status <> 'deleted' order by created_at, id`,
      [this.agency.id],
    )
    const expected = this.subs.map(({ id, whatsapp, inTrial }) => ({ id, whatsapp, inTrial }))
    expect(new Map(rows.map((row) => [row.id, row]))).toEqual(new Map(expected.map((row) => [row.id, row])))
  }

  async end(): Promise<void> {
    now = new Date(now.getTime() + 2 * 3_600_000)
    await reconcileAbandoned(service.database, { provider: this.sandbox, clock })
    await this.compare()
  }

  private async create(seats: number, outage?: Outage): Promise<void> {
    const body = newClient({ channels: seats > 0 ? { whatsapp: seats } : {} })
    const name = body.admin_email
    // Five an hour are enough for anybody but a test.
    const earlier = "update sub_account set created_at = created_at - interval '1 hour' where agency_id = $1"
    await service.database.pool.query(earlier, [this.agency.id])
    const result = await this.write((headers) => this.client.create(body, headers), seats, outage, name)
    if (!result) return
    expect(result.channels.whatsapp).toBe(seats)
    this.subs.push({ id: result.id, name, whatsapp: seats, inTrial: false })
    this.last!.created = result.id
  }

  private async set(found: Sub, whatsapp: number, outage?: Outage): Promise<void> {
    const delta = found.inTrial ? 0 : whatsapp - found.whatsapp
    const call = (headers: Record<string, string>) => this.client.channels(found.id, { whatsapp }, headers)
    const result = await this.write(call, delta, outage, found.name)
    if (!result) return
    expect([result.channels.whatsapp, result.delta_channels]).toEqual([whatsapp, delta])
    if (delta < 0) this.model.lower(found.name, -delta, this.second)
    found.whatsapp = whatsapp
  }

  private async remove(found: Sub): Promise<void> {
    await this.write((headers) => this.client.remove(found.id, headers), 0, undefined, found.name)
    this.model.lower(found.name, this.model.seatsOf(found.name), this.second)
    this.subs.splice(this.subs.indexOf(found), 1)
  }

  private async startTrial(found: Sub): Promise<void> {
    expect(await this.byOperator(START, found, { endsAt: IN_A_WEEK() })).toBe('processed')
    this.model.lower(found.name, this.model.seatsOf(found.name), this.second)
    found.inTrial = true
  }

  /** What a trial has had free is charged like a raise; declined, it is no more. */
  private async endTrial(found: Sub): Promise<void> {
    const status = await this.byOperator(END, found)
    if (found.whatsapp > 0) this.model.begin(found.whatsapp, this.second)
    const isDeclined = found.whatsapp > 0 && this.model.end(found.name).outcome === 'declined'
    expect(status).toBe(isDeclined ? 'failed' : 'processed')
    if (isDeclined) found.whatsapp = 0
    found.inTrial = false
  }

  private async byOperator(mutation: string, { id }: Sub, variables: object = {}): Promise<string> {
    const event = dataOf(await operator.graphql(mutation, { id, ...variables })) as { id: string }
    return (await ended({ client: this.client }, event.id)).status
  }

  /** A call under a key; what came of it, or undefined if nothing did, as the model says of so many more seats. */
  private async write(
    send: (headers: Record<string, string>) => Promise<Answer>,
    seats: number,
    outage: Outage | undefined,
    name: string,
  ) {
    const key = { 'Idempotency-Key': randomUUID() }
    const call = () => send(key)
    const disturbed = outage && this.model.isCollected(seats, this.second)
    if (seats > 0) this.model.begin(seats, this.second)
    if (disturbed) await this.sandbox.disturb({ ...outage, method: 'charge', customerId: this.agency.customerId })
    const answer = await call()
    this.last = { call, answer }
    if (disturbed) {
      expect(answer.status).toBe(202)
      const event = await ended({ client: this.client }, answer.body.event_id)
      expect(event.attempts).toBeLessThanOrEqual(MAX_ATTEMPTS)
      await this.sandbox.calm()
      this.last.answer = await call()
      const found = outage.kind === 'error_after' && this.model.card === 'pays' // by reading back
      if (outage.times === MAX_ATTEMPTS && !found) {
        this.model.abandon()
        expect([event.status, event.error_code]).toEqual(['failed', 'TRANSIENT_FAILURE'])
        return undefined
      }
    }
    const { status, body } = this.last.answer
    if (seats <= 0) {
      expect(status).toBeLessThan(202)
      return body.data
    }
    const { outcome, cost, total } = this.model.end(name)
    this.last.collected = this.model.state.collected
    if (outcome === 'declined') {
      expect([status, body.error.code]).toEqual([402, 'SEAT_CHARGE_FAILED'])
      return undefined
    }
    const charge = body.data.seat_charge
    const paid = { ok: true, paid: total > 0n, chargedCents: Number(cost), addedChannels: seats }
    if (charge !== undefined) expect(charge).toEqual(cost > 0n ? paid : null)
    else expect(body.data.billing.totalCents).toBe(Number(cost))
    return body.data
  }

  /** The last call again, with its key. */
  private async repeat(): Promise<void> {
    if (!this.last) return
    const { call, answer, created } = this.last
    const again = await call()
    if (created && !this.subs.some(({ id }) => id === created)) return expect(again.status).toBe(410)
    this.followInvoice(again)
    expect([again.status, again.body]).toEqual([answer.status, { ...answer.body, ...withRequest(again) }])
  }

  /** What was carried over is told as paid once it has been collected, by whatever charge. */
  private followInvoice(again: Answer): void {
    const { billing } = this.last!.answer.body.data ?? {}
    if (billing?.invoiceStatus !== 'open') return
    const { collected, carried, unpaid } = this.model.state
    const mayBe = collected === this.last!.collected ? ['open'] : carried + unpaid === 0n ? ['paid'] : ['open', 'paid']
    billing.invoiceStatus = again.body.data.billing.invoiceStatus
    expect(mayBe).toContain(billing.invoiceStatus)
  }

  private async renew(): Promise<void> {
    await renewDue(service.database, { provider: this.sandbox, clock })
    this.model.renew(this.second)
  }

  /** To a part of the present cycle, or of the next where that is over. */
  private passTo({ fraction, seconds }: { fraction: number; seconds: number }): void {
    for (let number = 0; ; number++) {
      const [start, end] = [boundaryOf(this.agency.anchor, number), boundaryOf(this.agency.anchor, number + 1)]
      const there = Math.round(start + fraction * (end - start)) + seconds
      if (there <= this.second) continue
      now = new Date(there * 1000)
      return
    }
  }

  private get second(): number {
    return Math.floor(now.getTime() / 1000)
  }
}

/** An error names the call that it answers, each its own. */
const withRequest = ({ body }: Answer) => (body.error ? { error: body.error } : {})

test('calls of an agency come to what a plain model says, whatever happens in whatever order', async () => {
  let commands = 0
  await fc.assert(
    fc.asyncProperty(
      setting,
      fc.array(command, { minLength: COMMANDS - 15, maxLength: COMMANDS, size: 'max' }),
      async (given, all) => {
        try {
          const world = await World.of(given)
          for (const each of all) {
            await world.run(each)
            await world.compare()
            commands++
          }
          await world.end()
        } finally {
          await service.database.pool.query('delete from agency')
          await service.database.pool.query('delete from sandbox_fault')
        }
      },
    ),
    { numRuns: RUNS, seed: SEED, endOnFailure: true },
  )
  if (FULL) expect(commands).toBeGreaterThan(2000)
}, 1_800_000)
