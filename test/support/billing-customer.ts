import { randomUUID } from 'node:crypto'
import type { BillingProvider } from '../../src/integrations/billing/index.js'

/** A new customer of a provider, with this card on file if one is said. */
export async function newCustomer(provider: BillingProvider, paymentMethod?: string): Promise<string> {
  const given = { key: randomUUID(), name: 'Norte Digital', metadata: { agency: randomUUID() } }
  const made = await provider.createCustomer(given)
  if (made.outcome !== 'created') throw new Error(`no customer: ${made.reason}`)
  const { customerId } = made
  if (paymentMethod) {
    const attached = { key: randomUUID(), customerId, paymentMethod }
    expect(await provider.attachPaymentMethod(attached)).toMatchObject({ outcome: 'attached' })
  }
  return customerId
}
