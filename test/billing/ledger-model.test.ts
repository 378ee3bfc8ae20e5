import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { type Database, Scope } from '../../src/database/index.js'
import { Agencies, type Agency } from '../../src/domains/agencies/index.js'
import {
  reconcileAbandoned,
  renewDue,
  SeatBilling,
  type SeatRequest,
  tellSeats,
} from '../../src/domains/billing/index.js'
import { type FaultOnDemand, SandboxBilling } from '../../src/integrations/billing/index.js'
import { smallestCharge } from '../../src/shared/smallest-charge.js'
import { BillingModel, boundaryOf } from '../support/billing-model.js'
import { compareMoney } from '../support/billing-sums.js'
import { openTestDatabase } from '../support/open-database.js'

// Seats come and go, cards decline, the provider fails in every way, time passes over cycles: after each step the ledger
// says what a plain model says, and the provider has collected just that.

const FULL = process.env.FULL === 'true'
const RUNS = Number(process.env.RUNS ?? (FULL ? 50 : 5))
const COMMANDS = FULL ? 62 : 25
const SEED = process.env.SEED === undefined ? undefined : Number(process.env.SEED)

let database: Database
let stop: () => Promise<void>
beforeAll(async () => {
  ;({ database, stop } = await openTestDatabase())
})
afterAll(() => stop())

const SUBS = ['a', 'b', 'c'] as const
const FAULTS = ['down', 'busy', 'lost_before', 'lost_after', 'error_before', 'error_after'] as const
/** Where the process dies in the middle of a raise. */
const DEATHS = ['dies_prepared', 'dies_collected'] as const
const CARDS = {
  pays: 'pm_card_visa',
  declines: 'pm_card_chargeCustomerFail',
  authenticates: 'pm_card_authenticationRequired',
}
const MAX_ATTEMPTS = 5

type Command =
  | { do: 'raise' | 'trialEnds'; sub: number; seats: number; faults: Trouble[] }
  | { do: 'lower'; sub: number; seats: number }
  | { do: 'delete' | 'repeat'; sub: number }
  | { do: 'card'; card: keyof typeof CARDS }
  | { do: 'wait'; seconds: number; renews: boolean }
  | { do: 'waitFor'; fraction: number; seconds: number; renews: boolean }
  | { do: 'renew'; fault?: FaultOnDemand['kind'] }
  | { do: 'reconcile' }

/** What goes wrong with an attempt, how long it is until the next, and whether jobs run meanwhile. */
interface Trouble {
  kind: (typeof FAULTS | typeof DEATHS)[number]
  seconds: number
  jobs: boolean
}

const sub = fc.nat({ max: SUBS.length - 1 })
const trouble = fc.record({
  kind: fc.constantFrom(...FAULTS, ...DEATHS),
  // Among them more than the day for which a key counts.
  seconds: fc.oneof(fc.nat({ max: 120 }), fc.integer({ min: 80_000, max: 130_000 })),
  jobs: fc.boolean(),
})
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('raise' as const, 'trialEnds' as const),
      sub,
      // Few enough to be carried over, or many.
      seats: fc.oneof(fc.constantFrom(1, 2), fc.integer({ min: 1, max: 40 })),
      faults: fc.oneof(
        { weight: 2, arbitrary: fc.constant<Trouble[]>([]) },
        { weight: 1, arbitrary: fc.array(trouble, { minLength: 1, maxLength: MAX_ATTEMPTS }) },
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('lower' as const), sub, seats: fc.integer({ min: 1, max: 40 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('delete' as const, 'repeat' as const), sub }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('card' as const),
      card: fc.constantFrom('pays' as const, 'pays' as const, 'declines' as const, 'authenticates' as const),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      seconds: fc.oneof(fc.nat({ max: 5 * 86_400 }), fc.nat({ max: 70 * 86_400 })),
      renews: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('waitFor' as const),
      // Of the cycle, where half a cent is left over, little is charged, and its very end.
      fraction: fc.constantFrom(0.25, 0.5, 0.995, 0.995, 1, 1, 1),
      seconds: fc.constantFrom(-1, 0, 0, 1),
      renews: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      { do: fc.constant('renew' as const), fault: fc.constantFrom('down' as const, 'lost_after' as const) },
      { requiredKeys: ['do'] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reconcile' as const) }) },
)
const setting = fc.record({
  anchor: fc.date({
    min: new Date('2023-11-01T00:00:00Z'),
    max: new Date('2026-03-31T00:00:00Z'),
    noInvalidDate: true,
  }),
  // Prices of which a few days, a cycle or nothing at all is below the smallest charge.
  price: fc.constantFrom(0, 7, 40, 60, 333, 4900, 99_999),
  currency: fc.constantFrom('BRL', 'JPY', 'GBP', 'CZK'),
  withCard: fc.boolean(),
})
type Setting = typeof setting extends fc.Arbitrary<infer T> ? T : never

/** The real thing and the model, at one moment. */
class World {
  private now: Date
  private readonly provider: SandboxBilling
  private readonly billing: SeatBilling
  private readonly db: Scope
  private readonly ids = new Map(SUBS.map((name) => [name as string, randomUUID()]))
  private readonly model: BillingModel
  private readonly done: { request: SeatRequest; state: string }[] = []
  private readonly clock = () => this.now

  private constructor(
    private readonly agency: Agency,
    { anchor, price, currency, withCard }: Setting,
  ) {
    this.now = anchor
    this.provider = new SandboxBilling(database, this.clock)
    this.billing = new SeatBilling(database, this.provider, this.clock)
    this.db = Scope.ofAgency(database, agency.id)
    this.model = new BillingModel(agency.anchor, BigInt(price), BigInt(smallestCharge(currency)), this.second)
    this.model.card = withCard ? 'pays' : 'none'
  }

  static async of(given: Setting): Promise<World> {
    const { price: seatPriceCents, currency, anchor, withCard } = given
    const agencies = new Agencies(database, new SandboxBilling(database, () => anchor), () => anchor)
    const paymentMethod = withCard ? 'pm_card_visa' : undefined
    const agency = await agencies.create({ name: 'Modelo', seatPriceCents, currency, paymentMethod })
    const world = new World(agency, given)
    await world.billing.inTurn(agency.id, async () => {})
    return world
  }

  async run(command: Command): Promise<void> {
    const name = 'sub' in command ? SUBS[command.sub]! : ''
    switch (command.do) {
      case 'raise':
      case 'trialEnds':
        return this.raise(name, command.seats, command.do === 'raise' ? 'raise' : 'trial_end', command.faults)
      case 'lower':
        return this.lower(name, Math.min(command.seats, this.model.seatsOf(name)))
      case 'delete':
        return this.lower(name, 'all')
      case 'repeat':
        return this.repeat()
      case 'card':
        await new Agencies(database, this.provider).changePaymentMethod(this.agency.id, CARDS[command.card])
        this.model.card = command.card === 'pays' ? 'pays' : 'declines'
        return
      case 'wait':
        this.pass(command.seconds)
        return command.renews ? this.renew() : undefined
      case 'waitFor':
        this.passTo(command)
        return command.renews ? this.renew() : undefined
      case 'renew':
        return this.renewThrough(command.fault)
      case 'reconcile':
        return this.reconcile()
    }
  }

  /** Settles what is still open, and compares. */
  async end(): Promise<void> {
    this.pass(2 * 3600)
    await this.reconcile()
    await this.compare()
    await tellSeats(database, { provider: this.provider })
    const told = await this.query(
      'select seats as n from sandbox_subscription where customer = $1',
      this.agency.billingCustomer,
    )
    if (told !== undefined) expect(told).toBe(await this.billing.seatsOf(this.db))
  }

  async compare(): Promise<void> {
    const { id, billingCustomer } = this.agency
    await compareMoney(database, this.billing, { id, customerId: billingCustomer! }, this.model)
    const held = await Promise.all([...this.ids.values()].map((each) => this.billing.seatsOf(this.db, each)))
    expect(held).toEqual(SUBS.map((name) => this.model.seatsOf(name)))
  }

  private async raise(name: string, seats: number, kind: SeatRequest['kind'], faults: Trouble[]): Promise<void> {
    const request = { key: randomUUID(), kind, subAccountId: this.ids.get(name)!, seats, client: `Cliente ${name}` }
    this.model.begin(seats, this.second)
    for (const fault of faults) {
      const settled = await this.attemptThrough(fault.kind, request)
      if (settled) return this.ended(request, name, settled)
      this.pass(fault.seconds)
      if (fault.jobs) await this.renew()
    }
    if (faults.length === MAX_ATTEMPTS) {
      await this.billing.inTurn(this.agency.id, (turn) => this.billing.abandon(this.db, turn, request.key))
      return this.model.abandon()
    }
    return this.ended(request, name, await this.attempt(request))
  }

  private ended(request: SeatRequest, name: string, settled: { state: string; cents: number; total: number }): void {
    const { outcome, cost, total } = this.model.end(name)
    expect(settled.state).toBe(outcome === 'declined' ? 'declined' : 'applied')
    expect([settled.cents, settled.total]).toEqual([Number(cost), Number(total)])
    this.done.push({ request, state: settled.state })
  }

  private attempt(request: SeatRequest) {
    const { billing, db } = this
    return billing.inTurn(this.agency.id, async (turn) => {
      const prepared = await billing.prepare(db, turn, request)
      const settled = await billing.collect(db, turn, prepared)
      return settled.state === 'paid' || settled.state === 'carried' ? billing.apply(db, turn, settled.id) : settled
    })
  }

  /** An attempt that something goes wrong with; what it has come to, if to an end all the same. */
  private async attemptThrough(kind: Trouble['kind'], request: SeatRequest) {
    if (kind === 'dies_prepared' || kind === 'dies_collected') {
      const { billing, db } = this
      const left = await billing.inTurn(this.agency.id, async (turn) => {
        const prepared = await billing.prepare(db, turn, request)
        return kind === 'dies_prepared' ? prepared : billing.collect(db, turn, prepared)
      })
      return left.state === 'declined' ? left : undefined
    }
    await this.provider.disturb({ kind, method: 'charge', customerId: this.agency.billingCustomer })
    const settled = await this.attempt(request)
    await this.provider.calm()
    return settled.state === 'pending' ? undefined : settled
  }

  private async lower(name: string, seats: number | 'all'): Promise<void> {
    const subAccountId = this.ids.get(name)!
    const gone = await this.billing.inTurn(this.agency.id, (turn) =>
      this.billing.release(this.db, turn, { subAccountId, seats }),
    )
    expect(gone).toBe(seats === 'all' ? this.model.seatsOf(name) : seats)
    this.model.lower(name, gone, this.second)
  }

  private async repeat(): Promise<void> {
    const last = this.done.at(-1)
    if (last) expect((await this.attempt(last.request)).state).toBe(last.state)
  }

  private async renew(): Promise<void> {
    await renewDue(database, { provider: this.provider, clock: this.clock })
    this.model.renew(this.second)
  }

  /** A renewal whose first attempt goes wrong; the job comes again at once. */
  private async renewThrough(kind?: FaultOnDemand['kind']): Promise<void> {
    if (kind) {
      await this.provider.disturb({ kind, method: 'renew', customerId: this.agency.billingCustomer })
      await renewDue(database, { provider: this.provider, clock: this.clock })
      await this.provider.calm()
    }
    return this.renew()
  }

  private reconcile(): Promise<void> {
    return reconcileAbandoned(database, { provider: this.provider, clock: this.clock })
  }

  /** To a part of the present cycle, or of the next where that is over. */
  private passTo({ fraction, seconds }: { fraction: number; seconds: number }): void {
    const { anchor } = this.agency
    for (let number = 0; ; number++) {
      const [start, end] = [boundaryOf(anchor, number), boundaryOf(anchor, number + 1)]
      const there = Math.round(start + fraction * (end - start)) + seconds
      if (there <= this.second) continue
      this.pass(there - this.second)
      return
    }
  }

  private pass(seconds: number): void {
    this.now = new Date(this.now.getTime() + seconds * 1000)
  }

  private get second(): number {
    return Math.floor(this.now.getTime() / 1000)
  }

  private async query(text: string, id: string | undefined): Promise<number | undefined> {
    return (await database.pool.query<{ n: number }>(text, [id])).rows[0]?.n
  }
}

test('the ledger is what a plain model says, whatever happens in whatever order', async () => {
  let commands = 0
  await fc.assert(
    fc.asyncProperty(
      setting,
      fc.array(command, { minLength: COMMANDS - 20, maxLength: COMMANDS, size: 'max' }),
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
          // Nobody else's jobs are to find this agency, whose time is another.
          await database.pool.query('delete from agency')
        }
      },
    ),
    { numRuns: RUNS, seed: SEED, endOnFailure: FULL },
  )
  if (FULL) expect(commands).toBeGreaterThan(2000)
}, 1_800_000)
