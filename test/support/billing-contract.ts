import { randomUUID } from 'node:crypto'
import type { BillingProvider, Charge, FaultOnDemand } from '../../src/integrations/billing/index.js'
import { newCustomer } from './billing-customer.js'

/** A provider under test, and what a test may do behind its back. */
export interface ProviderUnderTest {
  provider: BillingProvider
  /** Has something go wrong with coming calls. */
  disturb(fault: FaultOnDemand): Promise<void>
  /** What the provider itself says it has collected of a customer and not given back, in the smallest unit. */
  collected(customerId: string): Promise<number>
  /** How many invoices of a customer may still be collected. */
  open(customerId: string): Promise<number>
  stop(): Promise<void>
}

/** What every adapter holds to, whoever stands behind it: each of them runs these tests. */
export function billingContract(name: string, start: () => Promise<ProviderUnderTest>): void {
  describe(`the contract of billing, kept by ${name}`, () => {
    let under: ProviderUnderTest
    beforeAll(async () => {
      under = await start()
    })
    afterAll(() => under.stop())

    const key = () => randomUUID()

    const customerWith = (paymentMethod?: string) => newCustomer(under.provider, paymentMethod)

    const chargeOf = (customerId: string, overrides: Partial<Charge> = {}): Charge => {
      const cents = overrides.cents ?? 4900
      const lines = [{ description: 'Client Aurora: 1 seat until 2026-03-01', cents }]
      return { key: key(), customerId, cents, currency: 'BRL', lines, metadata: { charge: key() }, ...overrides }
    }
    const since = new Date(Date.now() - 3_600_000)

    /** What has become of a charge; what is still open is ended. */
    async function readBack({ customerId, metadata }: Charge) {
      const found = await under.provider.find({ customerId, metadata, since })
      if (found.outcome !== 'open') return found
      expect(await under.provider.void({ key: key(), invoiceId: found.invoiceId })).toEqual({ outcome: 'void' })
      return under.provider.find({ customerId, metadata, since })
    }

    describe('cards', () => {
      test('one that works pays in full, now', async () => {
        const customerId = await customerWith('pm_card_visa')
        const paid = await under.provider.charge(chargeOf(customerId))
        expect(paid).toEqual({ outcome: 'paid', invoiceId: expect.any(String), paymentId: expect.any(String) })
        expect(await under.collected(customerId)).toBe(4900)
      })

      test.each([
        ['pm_card_chargeCustomerFail', 'card_declined'],
        ['pm_card_authenticationRequired', 'authentication_required'],
      ])('%s is declined, and nothing is left to be collected', async (card, reason) => {
        const customerId = await customerWith(card)
        const charge = chargeOf(customerId)
        expect(await under.provider.charge(charge)).toMatchObject({ outcome: 'declined', reason })
        expect([await under.collected(customerId), await under.open(customerId)]).toEqual([0, 0])
        const { metadata } = charge
        expect(await under.provider.find({ customerId, metadata, since })).toEqual({ outcome: 'none' })
      })

      test('pm_card_chargeDeclined cannot be put on file, and the card before it stays', async () => {
        const customerId = await customerWith('pm_card_visa')
        const attached = { key: key(), customerId, paymentMethod: 'pm_card_chargeDeclined' }
        const answer = await under.provider.attachPaymentMethod(attached)
        expect(answer).toEqual({ outcome: 'declined', reason: 'card_declined' })
        expect(await under.provider.charge(chargeOf(customerId))).toMatchObject({ outcome: 'paid' })
      })

      test('an unknown payment method is told apart', async () => {
        const attached = { key: key(), customerId: await customerWith(), paymentMethod: 'pm_card_nobodys' }
        expect(await under.provider.attachPaymentMethod(attached)).toEqual({ outcome: 'unknown_payment_method' })
      })

      test('without one nothing is collected', async () => {
        const customerId = await customerWith()
        expect(await under.provider.charge(chargeOf(customerId))).toEqual({ outcome: 'no_payment_method' })
        expect([await under.collected(customerId), await under.open(customerId)]).toEqual([0, 0])
      })

      test('a new one takes the place of that before it', async () => {
        const customerId = await customerWith('pm_card_chargeCustomerFail')
        await under.provider.attachPaymentMethod({ key: key(), customerId, paymentMethod: 'pm_card_visa' })
        expect(await under.provider.charge(chargeOf(customerId))).toMatchObject({ outcome: 'paid' })
      })
    })

    describe('keys', () => {
      test('a repeat gets the first answer and has no second effect', async () => {
        const customerId = await customerWith('pm_card_visa')
        const charge = chargeOf(customerId)
        const first = await under.provider.charge(charge)
        expect(await under.provider.charge(charge)).toEqual(first)
        expect(await under.collected(customerId)).toBe(4900)
      })

      test('repeats at the same moment have one effect', async () => {
        const customerId = await customerWith('pm_card_visa')
        const charge = chargeOf(customerId)
        const answers = await Promise.all([1, 2, 3].map(() => under.provider.charge(charge)))
        expect(answers.filter(({ outcome }) => outcome === 'paid').length).toBeGreaterThanOrEqual(1)
        expect(await under.provider.charge(charge)).toMatchObject({ outcome: 'paid' })
        expect(await under.collected(customerId)).toBe(4900)
      })

      test('a decline is answered again, even when the card is another by now', async () => {
        const customerId = await customerWith('pm_card_chargeCustomerFail')
        const charge = chargeOf(customerId)
        const first = await under.provider.charge(charge)
        await under.provider.attachPaymentMethod({ key: key(), customerId, paymentMethod: 'pm_card_visa' })
        expect(await under.provider.charge(charge)).toEqual(first)
        expect(await under.collected(customerId)).toBe(0)
      })

      test('the same key with other content is our fault and changes nothing', async () => {
        const customerId = await customerWith('pm_card_visa')
        const charge = chargeOf(customerId)
        await under.provider.charge(charge)
        const other = { ...chargeOf(customerId, { cents: 5000 }), key: charge.key }
        expect(await under.provider.charge(other)).toMatchObject({ outcome: 'transient', ourFault: true })
        expect(await under.collected(customerId)).toBe(4900)
      })
    })

    describe('amounts', () => {
      test('the smallest of a currency is charged, one less is our fault', async () => {
        const customerId = await customerWith('pm_card_visa')
        expect(await under.provider.charge(chargeOf(customerId, { cents: 50 }))).toMatchObject({ outcome: 'paid' })
        const less = await under.provider.charge(chargeOf(customerId, { cents: 49 }))
        expect(less).toMatchObject({ outcome: 'transient', ourFault: true })
        expect([await under.collected(customerId), await under.open(customerId)]).toEqual([50, 0])
      })

      test('lines that do not add up to the amount are our fault', async () => {
        const customerId = await customerWith('pm_card_visa')
        const lines = [{ description: 'One seat', cents: 4800 }]
        const answer = await under.provider.charge({ ...chargeOf(customerId), lines })
        expect(answer).toMatchObject({ outcome: 'transient', ourFault: true })
        expect(await under.collected(customerId)).toBe(0)
      })

      test('a renewal is collected with what was carried over', async () => {
        const customerId = await customerWith('pm_card_visa')
        const lines = [
          { description: '3 seats', cents: 14_700 },
          { description: 'Carried over', cents: 30 },
        ]
        const period = { start: new Date('2026-02-01T00:00:00Z'), end: new Date('2026-03-01T00:00:00Z') }
        const charge = chargeOf(customerId, { cents: 14_730, lines })
        const answer = await under.provider.renew({ ...charge, seats: 3, seatPriceCents: 4900, period })
        expect(answer).toMatchObject({ outcome: 'paid' })
        expect(await under.collected(customerId)).toBe(14_730)
      })
    })

    describe('faults', () => {
      test.each(['down', 'busy'] as const)(
        '%s: nothing has happened, and the same call succeeds later',
        async (kind) => {
          const customerId = await customerWith('pm_card_visa')
          const charge = chargeOf(customerId)
          await under.disturb({ kind, method: 'charge', customerId })
          expect(await under.provider.charge(charge)).toMatchObject({ outcome: 'transient' })
          expect(await under.collected(customerId)).toBe(0)
          expect(await under.provider.charge(charge)).toMatchObject({ outcome: 'paid' })
          expect(await under.collected(customerId)).toBe(4900)
        },
      )

      test.each([
        ['lost_before', 0],
        ['lost_after', 4900],
      ] as const)('%s: nobody knows, and the same key tells', async (kind, collected) => {
        const customerId = await customerWith('pm_card_visa')
        const charge = chargeOf(customerId)
        await under.disturb({ kind, method: 'charge', customerId })
        expect(await under.provider.charge(charge)).toMatchObject({ outcome: 'ambiguous', keyIsSpent: false })
        expect(await under.collected(customerId)).toBe(collected)
        expect(await under.provider.charge(charge)).toMatchObject({ outcome: 'paid' })
        expect(await under.collected(customerId)).toBe(4900)
      })

      test.each([
        ['error_before', 'none', 0],
        ['error_after', 'paid', 4900],
      ] as const)('%s: the key says no more than that, and reading back tells', async (kind, found, collected) => {
        const customerId = await customerWith('pm_card_visa')
        const charge = chargeOf(customerId)
        await under.disturb({ kind, method: 'charge', customerId })
        const failed = { outcome: 'ambiguous', reason: expect.any(String), keyIsSpent: true }
        expect(await under.provider.charge(charge)).toEqual(failed)
        const again = await under.provider.charge(charge)
        if (again.outcome !== 'paid') expect(again).toEqual(failed)
        expect(await under.collected(customerId)).toBe(collected)
        expect(await readBack(charge)).toMatchObject({ outcome: found })
        expect(await under.collected(customerId)).toBe(collected)
        expect(await under.open(customerId)).toBe(0)
      })

      test('slow: the answer comes late and is right', async () => {
        const customerId = await customerWith('pm_card_visa')
        await under.disturb({ kind: 'slow', method: 'charge', customerId, delayMs: 20 })
        expect(await under.provider.charge(chargeOf(customerId))).toMatchObject({ outcome: 'paid' })
      })

      test('while it is down nothing can be read back', async () => {
        const customerId = await customerWith('pm_card_visa')
        await under.disturb({ kind: 'down', method: 'find', customerId })
        const sought = { customerId, metadata: { charge: key() }, since }
        expect(await under.provider.find(sought)).toMatchObject({ outcome: 'transient' })
        expect(await under.provider.find(sought)).toEqual({ outcome: 'none' })
      })
    })

    describe('reading back and giving back', () => {
      test('a charge is found by its metadata, among its customer’s alone', async () => {
        const [customerId, other] = [await customerWith('pm_card_visa'), await customerWith('pm_card_visa')]
        const charge = chargeOf(customerId)
        const paid = await under.provider.charge(charge)
        await under.provider.charge(chargeOf(customerId))
        const { metadata } = charge
        expect(await under.provider.find({ customerId, metadata, since })).toEqual(paid)
        expect(await under.provider.find({ customerId: other, metadata, since })).toEqual({ outcome: 'none' })
        const later = new Date(Date.now() + 3_600_000)
        expect(await under.provider.find({ customerId, metadata, since: later })).toEqual({ outcome: 'none' })
      })

      test('a refund gives all of it back, once', async () => {
        const customerId = await customerWith('pm_card_visa')
        const paid = await under.provider.charge(chargeOf(customerId))
        const invoiceId = paid.outcome === 'paid' ? paid.invoiceId : ''
        const refund = await under.provider.refund({ key: key(), invoiceId })
        expect(refund).toEqual({ outcome: 'refunded', refundId: expect.any(String) })
        expect(await under.provider.refund({ key: key(), invoiceId })).toEqual(refund)
        expect(await under.collected(customerId)).toBe(0)
      })

      test('what is paid cannot be voided, and what was declined is void', async () => {
        const customerId = await customerWith('pm_card_visa')
        const paid = await under.provider.charge(chargeOf(customerId))
        const invoiceId = paid.outcome === 'paid' ? paid.invoiceId : ''
        expect(await under.provider.void({ key: key(), invoiceId })).toEqual(paid)
        await under.provider.attachPaymentMethod({
          key: key(),
          customerId,
          paymentMethod: 'pm_card_chargeCustomerFail',
        })
        const declined = await under.provider.charge(chargeOf(customerId))
        const other = declined.outcome === 'declined' ? declined.invoiceId! : ''
        expect(await under.provider.void({ key: key(), invoiceId: other })).toEqual({ outcome: 'void' })
        expect(await under.provider.refund({ key: key(), invoiceId: other })).toMatchObject({ outcome: 'transient' })
      })

      test('the number of seats is set, and set again', async () => {
        const customerId = await customerWith('pm_card_visa')
        const total = { customerId, seatPriceCents: 4900, currency: 'BRL', anchor: new Date('2026-01-31T10:00:00Z') }
        expect(await under.provider.setSeats({ ...total, key: key(), seats: 3 })).toEqual({ outcome: 'set' })
        expect(await under.provider.setSeats({ ...total, key: key(), seats: 0 })).toEqual({ outcome: 'set' })
      })
    })
  })
}
