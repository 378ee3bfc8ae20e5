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
import type { BillingProvider, FaultOnDemand } from '../../src/integrations/billing/index.js'
import type { Clock } from '../../src/shared/clock.js'
import { smallestCharge } from '../../src/shared/smallest-charge.js'
import { BillingModel, boundaryOf } from './billing-model.js'
import { ledgerSums } from './billing-sums.js'
import { openTestDatabase } from './open-database.js'

// Seats come and go, cards decline, the provider fails in every way, time passes over cycles: after each step the ledger
// says what a plain model says, and the provider has collected just that.

const FULL = process.env.FULL === 'true'
const RUNS = Number(process.env.RUNS ?? (FULL ? 50 : 5))
const COMMANDS = FULL ? 62 : 25
const SEED = process.env.SEED === undefined ? undefined : Number(process.env.SEED)

let database: Database

/** A provider under the model, and what it says of itself. */
export interface ModelledProvider {
  provider: BillingProvider
  disturb(fault: FaultOnDemand): Promise<void>
  calm(): Promise<void>
  /** What it has collected of a customer and not given back, but for these charges, by their ids. */
  collected(customerId: string, but: readonly string[]): Promise<number>
  /** For how many seats it renews; undefined if it was never told. */
  seats(customerId: string): Promise<number | undefined>
  /** What it holds that may be collected still, or that is in books of its own; called when all is settled. */
  leftOver(customerId: string): Promise<unknown[]>
  stop(): Promise<void>
}

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
  | { do: 'reconcile' | 'tell' }

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
  { weight: 2, arbitrary: fc.record({ do: fc.constant('tell' as const) }) },
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
  private readonly provider: BillingProvider
  private readonly billing: SeatBilling
  private readonly db: Scope
  private readonly ids = new Map(SUBS.map((name) => [name as string, randomUUID()]))
  private readonly model: BillingModel
  private readonly done: { request: SeatRequest; state: string }[] = []
  private readonly clock = () => this.time.now

  private constructor(
    private readonly agency: Agency,
    private readonly under: ModelledProvider,
    private readonly time: { now: Date },
    { price, currency, withCard }: Setting,
  ) {
    this.provider = under.provider
    this.billing = new SeatBilling(database, this.provider, this.clock)
    this.db = Scope.ofAgency(database, agency.id)
    this.model = new BillingModel(agency.anchor, BigInt(price), BigInt(smallestCharge(currency)), this.second)
    this.model.card = withCard ? 'pays' : 'none'
  }

  static async of(given: Setting, under: ModelledProvider, time: { now: Date }): Promise<World> {
    const { price: seatPriceCents, currency, anchor, withCard } = given
    const agencies = new Agencies(database, under.provider, () => anchor)
    const paymentMethod = withCard ? 'pm_card_visa' : undefined
    const agency = await agencies.create({ name: 'Modelo', seatPriceCents, currency, paymentMethod })
    const world = new World(agency, under, time, given)
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
      case 'tell':
        return this.tell()
      case 'reconcile':
        return this.reconcile()
    }
  }

  /** Settles what is still open, and compares. */
  async end(): Promise<void> {
    this.pass(2 * 3600)
    await this.reconcile()
    await this.compare()
    await this.tell()
    const customer = this.agency.billingCustomer!
    const told = await this.under.seats(customer)
    if (told !== undefined) expect(told).toBe(await this.billing.seatsOf(this.db))
    expect(await this.under.leftOver(customer)).toEqual([])
  }

  async compare(): Promise<void> {
    const { seats, collected, carried, unpaid } = this.model.state
    const { id, billingCustomer } = this.agency
    const { abandoned, ...sums } = await ledgerSums(database, id)
    const held = await Promise.all([...this.ids.values()].map((each) => this.billing.seatsOf(this.db, each)))
    const has = await this.under.collected(billingCustomer!, abandoned)
    expect({ ...sums, collected: has, ...(await this.billing.balance(this.db)), held }).toEqual({
      owed: Number(this.model.owed),
      paid: Number(collected),
      collected: Number(collected),
      unsettled: 0,
      carriedCents: Number(carried),
      unpaidCents: Number(unpaid),
      held: SUBS.map((name) => seats.get(name) ?? 0),
    })
    // Seats × time = what was charged + balance.
    expect(this.model.owed).toBe(collected + carried + unpaid)
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
    await this.under.disturb({ kind, method: 'charge', customerId: this.agency.billingCustomer })
    const settled = await this.attempt(request)
    await this.under.calm()
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
      await this.under.disturb({ kind, method: 'renew', customerId: this.agency.billingCustomer })
      await renewDue(database, { provider: this.provider, clock: this.clock })
      await this.under.calm()
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
    this.time.now = new Date(this.time.now.getTime() + seconds * 1000)
  }

  private get second(): number {
    return Math.floor(this.time.now.getTime() / 1000)
  }

  private tell(): Promise<void> {
    return tellSeats(database, { provider: this.provider })
  }
}

/** The model-based test of the ledger over a provider; each run has one of its own, whose time is given. */
export function ledgerModel(
  name: string,
  start: (database: Database, clock: Clock) => Promise<ModelledProvider>,
): void {
  let stop: () => Promise<void>
  beforeAll(async () => {
    ;({ database, stop } = await openTestDatabase())
  })
  afterAll(() => stop())

  test(`over ${name} the ledger is what a plain model says, whatever happens in whatever order`, async () => {
    let commands = 0
    await fc.assert(
      fc.asyncProperty(
        setting,
        fc.array(command, { minLength: COMMANDS - 20, maxLength: COMMANDS, size: 'max' }),
        async (given, all) => {
          const time = { now: given.anchor }
          const under = await start(database, () => time.now)
          try {
            const world = await World.of(given, under, time)
            for (const each of all) {
              await world.run(each)
              await world.compare()
              commands++
            }
            await world.end()
          } finally {
            // Nobody else's jobs are to find this agency, whose time is another.
            await database.pool.query('delete from agency')
            await under.stop()
          }
        },
      ),
      { numRuns: RUNS, seed: SEED, endOnFailure: FULL },
    )
    if (FULL) expect(commands).toBeGreaterThan(2000)
  }, 1_800_000)
}
