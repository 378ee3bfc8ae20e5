import { randomUUID } from 'node:crypto'
import { type Database, Scope } from '../../src/database/index.js'
import { Agencies, type Agency, type NewAgency } from '../../src/domains/agencies/index.js'
import {
  AgencyBusy,
  reconcileAbandoned,
  renewDue,
  SeatBilling,
  type SeatRequest,
  type Turn,
  tellSeats,
} from '../../src/domains/billing/index.js'
import { type ChargeOutcome, type Renewal, SandboxBilling } from '../../src/integrations/billing/index.js'
import { openTestDatabase } from '../support/open-database.js'

let database: Database
let stop: () => Promise<void>
let now: Date
const clock = () => now
beforeAll(async () => {
  ;({ database, stop } = await openTestDatabase())
})
afterAll(() => stop())
beforeEach(async () => {
  await database.pool.query('delete from agency') // the jobs are of all agencies, and each test has its own time
  now = new Date('2026-04-01T00:00:00Z')
})

async function agencyWith(given: Partial<NewAgency> = {}) {
  const provider = new SandboxBilling(database, clock)
  const agencies = new Agencies(database, provider, clock)
  const agency = await agencies.create({ name: 'Norte', paymentMethod: 'pm_card_visa', ...given })
  const billing = new SeatBilling(database, provider, clock)
  return { agency, agencies, billing, provider, db: Scope.ofAgency(database, agency.id) }
}
type Given = Awaited<ReturnType<typeof agencyWith>>

const requestOf = (given: Partial<SeatRequest> = {}): SeatRequest => ({
  key: randomUUID(),
  kind: 'raise',
  subAccountId: randomUUID(),
  seats: 1,
  client: 'Aurora',
  ...given,
})

async function steps({ billing, db }: Given, turn: Turn, request: SeatRequest) {
  const settled = await billing.collect(db, turn, await billing.prepare(db, turn, request))
  return settled.state === 'paid' || settled.state === 'carried' ? billing.apply(db, turn, settled.id) : settled
}
const raise = (given: Given, request = requestOf()) =>
  given.billing.inTurn(given.agency.id, (turn) => steps(given, turn, request))

async function invoicesOf({ billingCustomer }: Agency) {
  const { rows } = await database.pool.query(
    `select cents::int as cents, status, lines from sandbox_invoice where customer = $1 order by id`,
    [billingCustomer],
  )
  return rows
}

/** The ledger's lines, by their kind. */
async function entriesOf({ id }: Agency): Promise<string[]> {
  const { rows } = await database.pool.query(
    'select kind, cents::int as cents from ledger_entry where agency_id = $1',
    [id],
  )
  return rows.map(({ kind, cents }) => `${kind} ${cents}`).sort()
}

/** How far the invoices are of what is carried over, or was, of which there is one state. */
async function statusOfCarried({ id }: Agency): Promise<string> {
  const { rows } = await database.pool.query<{ status: string }>(
    `select distinct invoice_status as status from seat_charge where agency_id = $1 and payment_id is null and state = 'applied'`,
    [id],
  )
  expect(rows).toHaveLength(1)
  return rows[0]!.status
}

describe('a raise', () => {
  test('is charged for the rest of the cycle, with a line that names client, seats and period', async () => {
    const given = await agencyWith()
    now = new Date('2026-04-16T00:00:00Z')
    const settled = await raise(given, requestOf({ seats: 2 }))
    expect(settled).toMatchObject({ state: 'applied', cents: 4900, total: 4900, seats: 2 })
    const lines = [{ description: 'Aurora: 2 seats, 2026-04-16 to 2026-05-01', cents: 4900 }]
    expect(await invoicesOf(given.agency)).toEqual([{ cents: 4900, status: 'paid', lines }])
    expect(await given.billing.seatsOf(given.db)).toBe(2)
    expect(await given.billing.balance(given.db)).toEqual({ carriedCents: 0, unpaidCents: 0 })
  })

  test('below the smallest charge is carried over, and the next charge collects it on a line of its own', async () => {
    const given = await agencyWith()
    now = new Date('2026-04-30T19:12:00Z') // 17,280 of 2,592,000 seconds are left: 4900 / 150 = 32.67
    expect(await raise(given)).toMatchObject({ state: 'applied', cents: 33, total: 0 })
    expect(await raise(given)).toMatchObject({ state: 'applied', cents: 33, total: 0 })
    expect(await given.billing.balance(given.db)).toEqual({ carriedCents: 66, unpaidCents: 0 })
    expect(await invoicesOf(given.agency)).toEqual([])
    expect(await statusOfCarried(given.agency)).toBe('open')
    expect(await raise(given, requestOf({ seats: 3 }))).toMatchObject({ cents: 98, total: 164 })
    const [{ cents, lines }] = await invoicesOf(given.agency)
    expect([cents, lines.map((line: { cents: number }) => line.cents)]).toEqual([164, [98, 66]])
    expect(await statusOfCarried(given.agency)).toBe('paid')
    expect(await given.billing.balance(given.db)).toEqual({ carriedCents: 0, unpaidCents: 0 })
  })

  test.each([
    ['pm_card_chargeDeclined', 'card_declined'],
    ['pm_card_authenticationRequired', 'authentication_required'],
    [undefined, 'no_payment_method'],
  ])('with the card %s comes to nothing', async (paymentMethod, decline) => {
    const given = await agencyWith({ paymentMethod })
    const request = requestOf({ seats: 5 })
    expect(await raise(given, request)).toMatchObject({ state: 'declined', decline, total: 0 })
    expect(await raise(given, request)).toMatchObject({ state: 'declined', decline })
    expect(await given.billing.seatsOf(given.db)).toBe(0)
    expect(await given.billing.balance(given.db)).toEqual({ carriedCents: 0, unpaidCents: 0 })
  })

  test('that is declined leaves what was carried over where it was', async () => {
    const given = await agencyWith()
    now = new Date('2026-04-30T19:12:00Z')
    await raise(given)
    await given.agencies.changePaymentMethod(given.agency.id, 'pm_card_chargeDeclined')
    expect(await raise(given, requestOf({ seats: 3 }))).toMatchObject({ state: 'declined' })
    expect(await given.billing.balance(given.db)).toEqual({ carriedCents: 33, unpaidCents: 0 })
  })

  test('without a card is declined even where it would only be carried over', async () => {
    const given = await agencyWith({ paymentMethod: undefined })
    now = new Date('2026-04-30T19:12:00Z')
    expect(await raise(given)).toMatchObject({ state: 'declined', decline: 'no_payment_method' })
  })

  test('of a price of nothing is free, also without a card', async () => {
    const given = await agencyWith({ seatPriceCents: 0, paymentMethod: undefined })
    expect(await raise(given)).toMatchObject({ state: 'applied', cents: 0, total: 0 })
    expect(await given.billing.seatsOf(given.db)).toBe(1)
  })

  test('keeps amount and moment through repeats, and refuses its key for another', async () => {
    const given = await agencyWith()
    const request = requestOf()
    const first = await raise(given, request)
    now = new Date('2026-04-20T00:00:00Z')
    expect(await raise(given, request)).toEqual(first)
    expect(await invoicesOf(given.agency)).toHaveLength(1)
    await expect(raise(given, { ...request, seats: 2 })).rejects.toThrow(/used for another charge/)
  })

  test.each(['prepared', 'collected', 'applied'] as const)(
    'that was left off when it was %s goes on from there',
    async (left) => {
      const given = await agencyWith()
      const { billing, db, agency } = given
      const request = requestOf()
      await billing.inTurn(agency.id, async (turn) => {
        const prepared = await billing.prepare(db, turn, request)
        if (left !== 'prepared') await billing.collect(db, turn, prepared)
        if (left === 'applied') await billing.apply(db, turn, prepared.id)
      })
      expect(await raise(given, request)).toMatchObject({ state: 'applied', total: 4900 })
      expect(await invoicesOf(agency)).toHaveLength(1)
      expect(await billing.seatsOf(db)).toBe(1)
    },
  )

  test('whose turn has passed on stores nothing of what it hears, and who has it now hears the same', async () => {
    const given = await agencyWith({ seatPriceCents: 1000 })
    const { agency, billing, db } = given
    const request = requestOf()
    const { late, charge } = await billing.inTurn(agency.id, async (turn) => ({
      late: turn,
      charge: await billing.prepare(db, turn, request),
    }))
    await expect(billing.collect(db, late, charge)).rejects.toThrow()
    const states = 'select state from seat_charge where agency_id = $1'
    expect((await database.pool.query(states, [agency.id])).rows).toEqual([{ state: 'pending' }])
    expect(await raise(given, request)).toMatchObject({ state: 'applied', total: 1000 })
    expect(await invoicesOf(agency)).toMatchObject([{ cents: 1000, status: 'paid' }])
  })

  test('whose reservation is taken back leaves nothing', async () => {
    const given = await agencyWith()
    const { billing, db, agency } = given
    const failing = billing.inTurn(agency.id, (turn) =>
      db.transaction(async () => {
        await billing.prepare(db, turn, requestOf())
        throw new Error('the reservation fails')
      }),
    )
    await expect(failing).rejects.toThrow(/reservation fails/)
    expect((await database.pool.query('select from seat_charge where agency_id = $1', [agency.id])).rowCount).toBe(0)
  })

  test('through an error in the place of the answer, repeated, leaves exactly one payment', async () => {
    const given = await agencyWith()
    const request = requestOf({ seats: 2 })
    await given.provider.disturb({ kind: 'error_after', method: 'charge' })
    expect(await raise(given, request)).toMatchObject({ state: 'pending', keySpent: true })
    for (let i = 0; i < 3; i++) expect(await raise(given, request)).toMatchObject({ state: 'applied', total: 9800 })
    expect((await invoicesOf(given.agency)).map(({ cents }) => cents)).toEqual([9800])
    expect(await given.billing.seatsOf(given.db)).toBe(2)
    expect(await entriesOf(given.agency)).toEqual(['payment -9800', 'seats 9800'])
  })

  test('whose answer was lost is looked for once its key counts no more', async () => {
    const given = await agencyWith()
    const request = requestOf()
    await given.provider.disturb({ kind: 'lost_after', method: 'charge' })
    expect(await raise(given, request)).toMatchObject({ state: 'pending', keySpent: false })
    now = new Date(now.getTime() + 25 * 3_600_000)
    const settled = await raise(given, request)
    expect(await invoicesOf(given.agency)).toHaveLength(1)
    expect(settled).toMatchObject({ state: 'applied', callNumber: 1 })
  })

  test('by a clock that is behind counts in the cycle that was renewed', async () => {
    const given = await agencyWith()
    await raise(given)
    now = new Date('2026-05-01T00:00:00Z')
    await renewDue(database, { provider: given.provider, clock })
    now = new Date('2026-04-30T23:59:58Z')
    expect(await raise(given)).toMatchObject({ at: '2026-05-01T00:00:00.000Z', cents: 4900 })
  })

  test('that dies after each of its steps, and is repeated from the first, is booked once', async () => {
    const given = await agencyWith()
    const { billing, db, agency } = given
    const request = requestOf()
    await billing.inTurn(agency.id, (turn) => billing.prepare(db, turn, request))
    await billing.inTurn(agency.id, async (turn) => billing.collect(db, turn, await billing.prepare(db, turn, request)))
    for (let i = 0; i < 2; i++) expect(await raise(given, request)).toMatchObject({ state: 'applied', total: 4900 })
    await billing.inTurn(agency.id, async (turn) => {
      const { id } = await billing.prepare(db, turn, request)
      await billing.apply(db, turn, id)
    })
    expect((await invoicesOf(agency)).map(({ cents }) => cents)).toEqual([4900])
    expect(await billing.seatsOf(db)).toBe(1)
    expect(await entriesOf(agency)).toEqual(['payment -4900', 'seats 4900'])
  })

  test('that is given up when it was paid is given back with what it had collected of before', async () => {
    const given = await agencyWith()
    const { billing, db, agency, provider } = given
    now = new Date('2026-04-30T19:12:00Z')
    await raise(given) // 33 are carried over
    const request = requestOf({ seats: 3 })
    await billing.inTurn(agency.id, async (turn) => {
      await billing.prepare(db, turn, request)
      expect(await billing.collect(db, turn, await billing.prepare(db, turn, request))).toMatchObject({ total: 131 })
      await billing.abandon(db, turn, request.key)
    })
    for (let i = 0; i < 2; i++) await reconcileAbandoned(database, { provider, clock })
    expect(await billing.balance(db)).toEqual({ carriedCents: 33, unpaidCents: 0 })
    expect(await statusOfCarried(agency)).toBe('open')
    const entries = ['carried -33', 'carried -33', 'carried 33', 'carried 33', 'payment -131', 'refund 131', 'seats 33']
    expect(await entriesOf(agency)).toEqual(entries)
    const { rows } = await database.pool.query(
      'select cents::int as cents from sandbox_refund r where r.invoice in (select id from sandbox_invoice where customer = $1)',
      [agency.billingCustomer],
    )
    expect(rows).toEqual([{ cents: 131 }])
  })

  test('that is not paid cannot be applied', async () => {
    const { billing, db, agency } = await agencyWith()
    const applied = billing.inTurn(agency.id, async (turn) => {
      const { id } = await billing.prepare(db, turn, requestOf())
      return billing.apply(db, turn, id)
    })
    await expect(applied).rejects.toThrow(/is pending: nothing can be applied/)
  })
})

describe('what is given up', () => {
  test.each(['lost_after', 'lost_before', 'error_after'] as const)(
    'after %s is given back if it was paid',
    async (kind) => {
      const given = await agencyWith()
      const { billing, db, agency, provider } = given
      const request = requestOf()
      await provider.disturb({ kind, method: 'charge', customerId: agency.billingCustomer })
      expect(await raise(given, request)).toMatchObject({ state: 'pending', trouble: { ourFault: false } })
      await billing.inTurn(agency.id, (turn) => billing.abandon(db, turn, request.key))
      now = new Date(now.getTime() + 3_600_001)
      await reconcileAbandoned(database, { provider, clock })
      const { rows } = await database.pool.query('select state from seat_charge where agency_id = $1', [agency.id])
      expect(rows).toEqual([{ state: kind === 'lost_before' ? 'dropped' : 'refunded' }])
      const { rowCount } = await database.pool.query(
        'select from sandbox_refund r join sandbox_invoice i on i.id = r.invoice where i.customer = $1',
        [agency.billingCustomer],
      )
      expect(rowCount).toBe(kind === 'lost_before' ? 0 : 1)
      expect(await entriesOf(agency)).toEqual(kind === 'lost_before' ? [] : ['payment -4900', 'refund 4900'])
      expect(await billing.seatsOf(db)).toBe(0)
    },
  )

  test('is not called lost while it may still be under way, and no seat comes of it later', async () => {
    const given = await agencyWith()
    const { billing, db, agency, provider } = given
    const request = requestOf()
    await provider.disturb({ kind: 'lost_before', method: 'charge', customerId: agency.billingCustomer })
    await raise(given, request)
    await billing.inTurn(agency.id, (turn) => billing.abandon(db, turn, request.key))
    await reconcileAbandoned(database, { provider, clock })
    expect(await raise(given, request)).toMatchObject({ state: 'abandoned', total: 0 })
  })
})

describe('renewals', () => {
  const renew = (given: Given) => renewDue(database, { provider: given.provider, clock })

  test('charge the seats of the beginning, whole, and what was carried over, once', async () => {
    const given = await agencyWith()
    await raise(given, requestOf({ seats: 3 }))
    now = new Date('2026-04-30T19:12:00Z')
    await raise(given)
    now = new Date('2026-05-01T00:00:00Z')
    await Promise.all([renew(given), renew(given)])
    await renew(given)
    const [, { cents, lines }, more] = await invoicesOf(given.agency)
    expect(lines.map((line: { cents: number }) => line.cents)).toEqual([4 * 4900, 33])
    expect([cents, more]).toEqual([4 * 4900 + 33, undefined])
    expect(await given.billing.balance(given.db)).toEqual({ carriedCents: 0, unpaidCents: 0 })
  })

  test('that the provider refuses for a fault of ours fail the job, which tries them again', async () => {
    const given = await agencyWith()
    await raise(given)
    now = new Date('2026-05-01T00:00:00Z')
    const { billingCustomer } = given.agency
    const rename = 'update agency set billing_customer = $2 where id = $1'
    await database.pool.query(rename, [given.agency.id, 'nobody'])
    const failure = await renew(given).catch((error: AggregateError) => error.errors.map(String))
    expect(failure).toEqual(['Error: billing refuses the service: there is no such customer'])
    await database.pool.query(rename, [given.agency.id, billingCustomer])
    await renew(given)
    expect((await invoicesOf(given.agency)).map(({ cents }) => cents)).toEqual([4900, 4900])
  })

  test('what is refused for a fault of ours, be it a number of seats or a refund, fails its job as well', async () => {
    const given = await agencyWith()
    const { agency, billing, db } = given
    const request = requestOf()
    await billing.inTurn(agency.id, async (turn) => {
      await billing.collect(db, turn, await billing.prepare(db, turn, request))
      await billing.abandon(db, turn, request.key)
    })
    await raise(given)
    const refuses = async () => ({ outcome: 'transient', reason: 'there is no such thing', ourFault: true }) as const
    const refusing = Object.assign(new SandboxBilling(database, clock), { setSeats: refuses, refund: refuses })
    const failures: string[] = []
    for (const job of [tellSeats, reconcileAbandoned]) {
      await job(database, { provider: refusing }).catch((error: AggregateError) => {
        failures.push(...error.errors.map(String))
      })
    }
    expect(failures).toEqual(Array(2).fill('Error: billing refuses the service: there is no such thing'))
  })

  test('that come late charge for what there was then, and a raise in between is not charged twice', async () => {
    const given = await agencyWith()
    await raise(given)
    now = new Date('2026-05-16T12:00:00Z') // 15.5 of 31 days are left
    expect(await raise(given)).toMatchObject({ cents: 2450 })
    now = new Date('2026-06-10T00:00:00Z')
    await renew(given)
    expect((await invoicesOf(given.agency)).map(({ cents }) => cents)).toEqual([4900, 2450, 4900, 9800])
  })

  test.each([
    ['a second before', '2026-04-30T23:59:59Z', 1],
    ['at the very moment', '2026-05-01T00:00:00Z', 3],
  ])('charge for what is given back %s of their beginning as there was then', async (_when, moment, seats) => {
    const given = await agencyWith()
    const { billing, db, agency, provider } = given
    const request = requestOf({ seats: 3 })
    await raise(given, request)
    now = new Date(moment)
    const { subAccountId } = request
    await billing.inTurn(agency.id, (turn) => billing.release(db, turn, { subAccountId, seats: 2 }))
    now = new Date('2026-05-01T00:00:00Z')
    await renewDue(database, { provider, clock })
    expect((await invoicesOf(agency)).map(({ cents }) => cents)).toEqual([3 * 4900, seats * 4900])
  })

  test('wait for a raise that may still add seats to the cycle before', async () => {
    const given = await agencyWith()
    const request = requestOf()
    await given.provider.disturb({ kind: 'down', method: 'charge', customerId: given.agency.billingCustomer })
    now = new Date('2026-04-30T00:00:00Z')
    await raise(given, request)
    now = new Date('2026-05-02T00:00:00Z')
    await renew(given)
    expect(await invoicesOf(given.agency)).toEqual([])
    await raise(given, request)
    await renew(given)
    expect((await invoicesOf(given.agency)).map(({ cents }) => cents)).toEqual([163, 4900])
  })

  test('that are declined are owed and tried again after 1, 2, 4 and then each 8 days; seats stay', async () => {
    const given = await agencyWith()
    await raise(given)
    await given.agencies.changePaymentMethod(given.agency.id, 'pm_card_chargeDeclined')
    now = new Date('2026-05-01T00:00:00Z')
    const tries: string[] = []
    for (let hour = 0; hour < 27 * 24; hour++) {
      const before = (await invoicesOf(given.agency)).length
      await renew(given)
      if ((await invoicesOf(given.agency)).length > before) tries.push(now.toISOString().slice(0, 10))
      now = new Date(now.getTime() + 3_600_000)
    }
    expect(tries).toEqual(['2026-05-01', '2026-05-02', '2026-05-04', '2026-05-08', '2026-05-16', '2026-05-24'])
    expect(await given.billing.balance(given.db)).toEqual({ carriedCents: 0, unpaidCents: 4900 })
    expect(await given.billing.seatsOf(given.db)).toBe(1)
    await given.agencies.changePaymentMethod(given.agency.id, 'pm_card_visa')
    now = new Date('2026-06-01T00:00:00Z')
    await renew(given)
    expect(await given.billing.balance(given.db)).toEqual({ carriedCents: 0, unpaidCents: 0 })
  })

  test('of one agency that fail hold up no other', async () => {
    const [broken, other] = [await agencyWith(), await agencyWith()]
    for (const given of [broken, other]) await raise(given)
    class Breaking extends SandboxBilling {
      override renew(renewal: Renewal): Promise<ChargeOutcome> {
        if (renewal.customerId === broken.agency.billingCustomer) throw new Error('the adapter breaks')
        return super.renew(renewal)
      }
    }
    now = new Date('2026-05-01T00:00:00Z')
    const job = renewDue(database, { provider: new Breaking(database, clock), clock })
    await expect(job).rejects.toThrow(/failed for 1 agencies/)
    expect((await invoicesOf(other.agency)).map(({ cents }) => cents)).toEqual([4900, 4900])
  })
})

describe('turns', () => {
  test('money of one agency moves one at a time, that of another meanwhile', async () => {
    const [slow, other] = [await agencyWith(), await agencyWith()]
    const seen: string[] = []
    let go = () => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    let begun = () => {}
    const begins = new Promise<void>((resolve) => {
      begun = resolve
    })
    const first = slow.billing.inTurn(slow.agency.id, async () => {
      seen.push('first begins')
      begun()
      await held
      seen.push('first ends')
    })
    await begins
    const second = slow.billing.inTurn(slow.agency.id, async () => void seen.push('second'))
    await raise(other)
    seen.push('other')
    go()
    await Promise.all([first, second])
    expect(seen).toEqual(['first begins', 'other', 'first ends', 'second'])
  })

  test('who waits too long is told that the agency is busy, and one that died is waited for no longer than its lease', async () => {
    const { billing, agency } = await agencyWith()
    await billing.inTurn(agency.id, async () => {})
    await database.pool.query(
      `update billing_standing set turn_holder = gen_random_uuid(), turn_until = now() + interval '200 ms' where agency_id = $1`,
      [agency.id],
    )
    const hasty = billing.inTurn(agency.id, async () => {}, { lease: 1000, patience: 1 })
    await expect(hasty).rejects.toBeInstanceOf(AgencyBusy)
    await billing.inTurn(agency.id, async () => {}, { lease: 1000, patience: 10_000 })
  })

  test('who lost the turn can store nothing any more', async () => {
    const { billing, agency, db } = await agencyWith()
    const lost = billing.inTurn(agency.id, async (turn) => {
      await database.pool.query('update billing_standing set turn_holder = gen_random_uuid() where agency_id = $1', [
        agency.id,
      ])
      return billing.prepare(db, turn, requestOf())
    })
    await expect(lost).rejects.toBeInstanceOf(AgencyBusy)
    expect((await database.pool.query('select from seat_charge where agency_id = $1', [agency.id])).rowCount).toBe(0)
  })

  test('twenty raises at once are each charged once', async () => {
    const given = await agencyWith()
    await Promise.all(Array.from({ length: 20 }, () => raise(given)))
    expect(await given.billing.seatsOf(given.db)).toBe(20)
    expect(await invoicesOf(given.agency)).toHaveLength(20)
  })
})

describe('between agencies', () => {
  test('none sees, settles, applies or gives up what is another one’s', async () => {
    const [mine, other] = [await agencyWith(), await agencyWith()]
    const { billing, db } = mine
    const request = requestOf()
    const theirs = await other.billing.inTurn(other.agency.id, (turn) => other.billing.prepare(other.db, turn, request))
    await billing.inTurn(mine.agency.id, async (turn) => {
      await expect(billing.collect(db, turn, theirs)).rejects.toThrow(/has no charge/)
      await expect(billing.apply(db, turn, theirs.id)).rejects.toThrow(/has no charge/)
      await billing.abandon(db, turn, request.key)
      await expect(billing.prepare(other.db, turn, request)).rejects.toThrow(/another agency/)
      // The same key is another charge here.
      expect((await billing.prepare(db, turn, request)).id).not.toBe(theirs.id)
    })
    expect(await raise(other, request)).toMatchObject({ state: 'applied', id: theirs.id })
    expect(await billing.seatsOf(db, request.subAccountId)).toBe(0)
    await expect(
      billing.inTurn(mine.agency.id, (turn) =>
        billing.release(db, turn, { subAccountId: request.subAccountId, seats: 1 }),
      ),
    ).rejects.toThrow(/of 0 seats 1/)
    expect(await billing.balance(db)).toEqual({ carriedCents: 0, unpaidCents: 0 })
  })
})

test('nothing of ledger and seats can be changed or removed, but with the agency', async () => {
  const given = await agencyWith()
  await raise(given)
  for (const table of ['ledger_entry', 'seat_change']) {
    const at = 'where agency_id = $1'
    await expect(database.pool.query(`update ${table} set at = now() ${at}`, [given.agency.id])).rejects.toThrow(
      /only added/,
    )
    await expect(database.pool.query(`delete from ${table} ${at}`, [given.agency.id])).rejects.toThrow(/only added/)
  }
  await database.pool.query('delete from agency where id = $1', [given.agency.id])
  expect((await database.pool.query('select from ledger_entry where agency_id = $1', [given.agency.id])).rowCount).toBe(
    0,
  )
})
