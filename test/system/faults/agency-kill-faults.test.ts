import { setTimeout as delay } from 'node:timers/promises'
import { reconcileAbandoned, tellSeats } from '../../../src/domains/billing/index.js'
import { until } from '../../support/crash/locks.js'
import { type Stop, type StoppedStripe, stoppedStripe } from '../../support/crash/providers.js'
import { type Dying, each, leastAttempts, Service } from '../../support/crash/service.js'
import { BOUNDARIES, type Boundary, type Kind, SEATS, Victim } from '../../support/crash/victims.js'
import { FAULT_KINDS, type FaultKind } from '../../support/stripe/index.js'
import { booksOf, onceAllArrived, PAY, RAISE, sound } from '../../support/stripe-books.js'

// A server or a worker is killed while calls are at each boundary or at any call to Stripe, and Stripe fails those who take
// them up.

const FULL = process.env.FULL === 'true'
/** Servers that die, and as many workers; at each boundary each fault comes after half of them. */
const DEATHS = FULL ? 20 : 1
/** The calls of a death at each boundary: what is asked for, and of how many calls to Stripe it meets its fault. */
const CALLS: readonly { kind: Kind; times: number }[] = [
  { kind: 'creation', times: 1 },
  { kind: 'raise', times: 1 },
  { kind: 'trialEnd', times: 1 },
  { kind: 'raise', times: Number.POSITIVE_INFINITY },
]
/** What is paid for where the call comes to nothing. */
const BEFORE: Readonly<Record<Kind, number>> = { creation: 0, raise: 2, deletion: 2, trialEnd: 0 }
/**
 * After so many deaths each call of each boundary has met each fault where money moves, of a server's and of a worker's; then
 * come the others of a charge.
 */
const AT_PAYMENT = 2 * FAULT_KINDS.length
const LOOK_MS = 200
/** Around each call to Stripe of a charge: before its effect, and with its answer, which may be a failure that its key keeps. */
const STOPS: readonly Stop[] = RAISE.flatMap((path): Stop[] => [
  ...(path === PAY
    ? []
    : ([
        { path, at: 'before' },
        { path, at: 'after' },
      ] as const)), // those are boundaries
  ...(path.startsWith('GET')
    ? []
    : (['error_before', 'error_after'] as const).map((kind) => ({ path, at: 'after', kind }) as const)),
])
/** In short each death is at every so manieth of them. */
const PARTS = FULL ? 1 : 4

interface Case {
  victim: Victim
  stop?: Stop
  fault: FaultKind
  path: string
  times: number
}

describe('calls that stand at each boundary', () => {
  let service: Service<StoppedStripe>
  beforeAll(async () => {
    service = await Service.begin(stoppedStripe)
  }, 120_000)
  afterAll(() => service.stop())

  test.each(['server', 'worker'] as const)(
    `when a %s dies are paid once or not at all, whatever Stripe does then (${DEATHS})`,
    async (dying) => {
      for (const round of roundsOf(dying)) {
        const cases: Case[] = []
        for (const boundary of BOUNDARIES) cases.push(...(await Promise.all(casesOf(boundary, round))))
        await die(dying, cases)
      }
    },
    FULL ? 3_600_000 : 300_000,
  )

  test.each(['server', 'worker'] as const)(
    `around each call to Stripe when a %s dies are paid once or not at all, whatever Stripe does then (${DEATHS})`,
    async (dying) => {
      for (const round of roundsOf(dying)) await die(dying, await Promise.all(casesAround(round)))
    },
    FULL ? 3_600_000 : 300_000,
  )

  const roundsOf = (dying: Dying) =>
    Array.from({ length: DEATHS }, (_, death) => (dying === 'server' ? 2 * death : 2 * death + 1))

  async function die(dying: Dying, cases: readonly Case[]): Promise<void> {
    const victims = cases.map(({ victim }) => victim)
    const { faults } = service.provider.stripe
    await service.die(dying, victims)
    for (const { victim, fault: kind, path, times } of cases) {
      service.provider.stripe.disturb({ kind, path, times, customer: victim.customerId })
    }
    await each(victims, (victim) => victim.turnPasses())
    await each(victims, (victim) => victim.eventPasses())
    await each(victims, end)
    for (const { victim, times } of cases) {
      // Who has asked for nothing yet meets its fault.
      if (victim.boundary === 'begun' && times === 1) expect(faults.leftOf(victim.customerId)).toBe(0)
    }
    service.provider.stripe.calm()
    await reconcile(victims)
    await Promise.all(cases.map((one) => expectSound(one, dying)))
  }

  /** In three rounds each boundary meets all nine faults, in nine each call meets each of them. */
  function casesOf(boundary: Boundary, round: number): Promise<Case>[] {
    const path = faultyIn(round)
    return CALLS.map(async ({ kind, times }, n) => {
      const fault = FAULT_KINDS[(round + 2 * n) % FAULT_KINDS.length]!
      return { victim: await Victim.make(service.scene, kind, boundary, service.origin), fault, path, times }
    })
  }

  /** In nine rounds each call to Stripe meets all faults, in 36 each kind of call meets them there. */
  function casesAround(round: number): Promise<Case>[] {
    const path = faultyIn(round)
    const stops = STOPS.filter((_, n) => n % PARTS === round % PARTS)
    return stops.map(async (stop, n) => {
      const { kind, times } = CALLS[(round + n) % CALLS.length]!
      const fault = FAULT_KINDS[(round + n) % FAULT_KINDS.length]!
      return {
        victim: await Victim.make(service.scene, kind, 'reserved', service.origin, stop),
        stop,
        fault,
        path,
        times,
      }
    })
  }

  const faultyIn = (round: number) => (round < AT_PAYMENT ? PAY : RAISE[round % RAISE.length]!)

  /** Waits until an event has ended, and lets no pause keep it from that. */
  async function end(victim: Victim): Promise<void> {
    let over = false
    const ended = victim.ended().finally(() => {
      over = true
    })
    while (!over) {
      await victim.pausePasses()
      await Promise.race([ended, delay(LOOK_MS)])
    }
    await ended
  }

  /** Has what was given up be read back, once all calls have reached Stripe that ever will, and the seats told. */
  async function reconcile(victims: readonly Victim[]): Promise<void> {
    const { database, provider } = service
    const ids = victims.map(({ agencyId }) => agencyId)
    const left = `select (select count(*) from seat_charge where agency_id = any($1) and state = 'abandoned')
      + (select count(*) from billing_standing where agency_id = any($1) and seats_told < 0) as n`
    // No job was to have their turns while they stood still.
    await database.pool.query('update billing_standing set seats_told = -1 where agency_id = any($1)', [ids])
    await until('all is read back and told', async () => {
      await reconcileAbandoned(database, { provider: provider.provider, clock: onceAllArrived })
      await tellSeats(database, { provider: provider.provider })
      return Number((await database.pool.query<{ n: string }>(left, [ids])).rows[0]!.n) === 0
    })
  }

  async function expectSound({ victim, stop, fault, path, times }: Case, dying: Dying): Promise<void> {
    const { kind, boundary, agencyId, customerId } = victim
    const of = { kind, boundary, stop, fault, path }
    const { stripe } = service.provider
    const { status, attempts } = await victim.event()
    // One fault that passes is outlived; of what goes on being in the way, nothing may be left but a failed event.
    if (times === 1) expect({ ...of, status }).toEqual({ ...of, status: 'processed' })
    const seats = status === 'processed' ? SEATS[kind] : BEFORE[kind]
    const books = await booksOf({ agencyId, customerId }, service.database, stripe)
    const told = [...stripe.world.subscriptions.values()]
      .filter(({ customer }) => customer === customerId)
      .map(({ items }) => items[0]!.quantity)
    expect({ ...of, status, books, told: told.reduce((sum, n) => sum! + n!, 0) }).toEqual({
      ...of,
      status: expect.stringMatching(/^(processed|failed)$/),
      books: sound(seats),
      told: seats,
    })
    expect(attempts).toBeGreaterThanOrEqual(boundary === 'finished' ? 1 : leastAttempts(boundary, dying))
    expect(attempts).toBeLessThanOrEqual(5)
    const quotas = `select coalesce(sum(linkedin + whatsapp), 0)::int as seats from sub_account
      where agency_id = $1 and status = 'active' and trial_ends_at is null`
    expect(await victim.query(quotas, [agencyId])).toEqual([{ seats }])
    expect(
      await victim.query(`select id from sub_account where agency_id = $1 and status = 'provisioning'`, [agencyId]),
    ).toEqual([])
  }
})
