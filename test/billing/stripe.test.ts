import { billingContract } from '../support/billing-contract.js'
import { startStripeBilling } from '../support/stripe-billing.js'

billingContract('Stripe', async () => {
  const { stripe, provider, disturb } = await startStripeBilling()
  return {
    provider,
    disturb,
    collected: async (customer) => stripe.collected(customer),
    open: async (customer) => stripe.open(customer),
    stop: () => stripe.stop(),
  }
})
