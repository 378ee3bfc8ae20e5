import { ledgerModel } from '../support/ledger-world.js'
import { eachInTurn, startStripeBilling } from '../support/stripe-billing.js'

ledgerModel('Stripe', async (_database, clock) => {
  const { stripe, provider, disturb, calm } = await startStripeBilling({ clock, place: eachInTurn() })
  const { world } = stripe
  const mine = <Owned extends { customer: string }>(all: Map<string, Owned>, customer: string) =>
    [...all.values()].filter((one) => one.customer === customer)
  return {
    provider,
    disturb,
    calm,
    collected: async (customer, but) => {
      // What is to be given back still is in Stripe's books, and not in ours.
      const since = new Date(0)
      const held = but.length > 0 ? await provider.holdings({ customerId: customer, since }) : undefined
      const invoices = held?.outcome === 'held' ? held.invoices : []
      const abandoned = invoices.filter(({ metadata }) => but.includes(metadata.charge ?? ''))
      return stripe.collected(customer) - abandoned.reduce((sum, { collectedCents }) => sum + collectedCents, 0)
    },
    seats: async (customer) => {
      const live = mine(world.subscriptions, customer).filter(({ status }) => status !== 'canceled')
      expect(live.length).toBeLessThanOrEqual(1)
      return live[0]?.items[0]?.quantity
    },
    leftOver: async (customer) => [
      ...mine(world.invoices, customer).filter(({ status }) => status === 'open' || status === 'uncollectible'),
      ...mine(world.balances, customer),
    ],
    stop: () => stripe.stop(),
  }
})
