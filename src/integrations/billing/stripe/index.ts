import type { Stripe } from 'stripe'
import { type Clock, systemClock } from '../../../shared/clock.js'
import type {
  BillingProvider,
  Charge,
  Keyed,
  NewCustomer,
  NewPaymentMethod,
  Renewal,
  SeatTotal,
  Sought,
} from '../provider.js'
import { attachCard, describeCard } from './cards.js'
import { createStripe, type StripeSettings } from './client.js'
import { inSteps, invoiceAlone } from './collect.js'
import { codeOf, looked, settled } from './failures.js'
import { heldOf, holdingsOf } from './holdings.js'
import { endInvoice, foundAmong, hasMetadata, invoicesSince, readInvoice } from './invoices.js'
import { refundInvoice } from './refunds.js'
import { collectRenewal } from './renewals.js'
import { setSeatTotal } from './subscriptions.js'

/**
 * Billing through Stripe. A charge is several calls, each with a key that follows from the charge's own: repeated with the
 * same key it goes through all of them again, and those that were made before answer as they did.
 */
export class StripeBilling implements BillingProvider {
  readonly name = 'stripe'
  private readonly stripe: Stripe

  constructor(
    settings: StripeSettings,
    private readonly clock: Clock = systemClock,
  ) {
    this.stripe = createStripe(settings)
  }

  createCustomer({ key, name, metadata }: NewCustomer) {
    return settled(async () => {
      const { id } = await this.stripe.customers.create({ name, metadata }, { idempotencyKey: key })
      return { outcome: 'created' as const, customerId: id }
    })
  }

  attachPaymentMethod(method: NewPaymentMethod) {
    return attachCard(this.stripe, method)
  }

  charge(charge: Charge) {
    return inSteps(charge, (begun) => invoiceAlone(this.stripe, charge, begun))
  }

  renew(renewal: Renewal) {
    return collectRenewal(this.stripe, renewal, this.clock())
  }

  find({ customerId, metadata, since }: Sought) {
    return looked(async () => {
      const invoices = await invoicesSince(this.stripe, customerId, since)
      return foundAmong(invoices.filter((invoice) => hasMetadata(invoice, metadata)))
    })
  }

  void({ invoiceId }: { invoiceId: string }) {
    return settled(() => endInvoice(this.stripe, invoiceId))
  }

  refund({ key, invoiceId }: Keyed & { invoiceId: string }) {
    return settled(() => refundInvoice(this.stripe, invoiceId, key))
  }

  setSeats(total: SeatTotal) {
    return settled(() => setSeatTotal(this.stripe, total, this.clock()))
  }

  card({ customerId }: { customerId: string }) {
    return looked(async () => ({
      outcome: 'known' as const,
      card: await describeCard(this.stripe, customerId),
    }))
  }

  invoice({ invoiceId }: { invoiceId: string }) {
    return looked(async () => {
      try {
        const invoice = await heldOf(this.stripe, await readInvoice(this.stripe, invoiceId))
        return { outcome: 'known' as const, invoice }
      } catch (error) {
        if (codeOf(error) === 'resource_missing') return { outcome: 'known' as const, invoice: null }
        throw error
      }
    })
  }

  holdings({ customerId, since }: { customerId: string; since: Date }) {
    return looked(() => holdingsOf(this.stripe, customerId, since))
  }

  /** Stripe forgets its keys by itself. */
  async sweep(): Promise<void> {}
}
