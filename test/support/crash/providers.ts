import type { Database } from '../../../src/database/index.js'
import { type BillingProvider, SandboxBilling, StripeBilling } from '../../../src/integrations/billing/index.js'
import { type FaultKind, type LocalStripe, startLocalStripe } from '../stripe/index.js'
import { PAY } from '../stripe-books.js'
import { Lock, until } from './locks.js'

/** A call to Stripe at which one stands still: before its effect, or with its answer, which may be a failure. */
export interface Stop {
  path: string
  at: 'before' | 'after'
  kind?: FaultKind
}

/** A provider of billing that is stopped in the middle of collecting, and says what it has collected. */
export interface StoppedProvider {
  provider: BillingProvider
  /** What tells the service's processes to use it. */
  settings: Record<string, string>
  /** Stops the next call that collects from a customer, before it has an effect; of Stripe's calls one may name another. */
  hold(customerId: string, stop?: Stop): Promise<Held>
  collected(customerId: string): Promise<{ cents: number; payments: number }>
  stop(): Promise<void>
}

/** A call that is stopped, or will be. */
export interface Held {
  /** Resolves once a call has been stopped. */
  met(): Promise<void>
  /** Lets the call go on and have its effect; `dead` when whoever made it is no more. */
  release(dead?: boolean): Promise<void>
}

/** Makes a provider for a service on a database. */
export type Start<Provider> = (database: Database, url: string) => Promise<Provider>

/** The sandbox: a call waits for the customer's row. */
export const stoppedSandbox: Start<StoppedProvider> = async (database, url) => {
  const paid = `select coalesce(sum(cents), 0)::int as cents, count(*)::int as payments from sandbox_invoice
    where customer = $1 and status = 'paid'`
  return {
    provider: new SandboxBilling(database),
    settings: {},
    hold: async (customerId) => {
      const lock = await Lock.open(url)
      await lock.take('sandbox_customer', 'id', customerId)
      return {
        met: () => until('the provider is asked', () => lock.stops(database.pool)),
        release: (dead) => lock.release(dead ? database.pool : undefined),
      }
    },
    collected: async (customerId) => (await database.pool.query(paid, [customerId])).rows[0],
    stop: async () => {},
  }
}

/** The adapter of Stripe, beside a local one. */
export type StoppedStripe = StoppedProvider & { stripe: LocalStripe }

/** The adapter of Stripe, beside a local one: the payment of an invoice stands still. */
export const stoppedStripe: Start<StoppedStripe> = async () => {
  const stripe = await startLocalStripe()
  return {
    stripe,
    provider: new StripeBilling({ secretKey: stripe.secretKey, apiBase: stripe.base }),
    settings: { STRIPE_SECRET_KEY: stripe.secretKey, STRIPE_API_BASE: stripe.base },
    hold: async (customer, { at, ...call } = { path: PAY, at: 'before' }) => {
      const { met, release } = stripe.hold(at, { ...call, customer })
      return { met: () => met, release: async () => release() }
    },
    collected: async (customer) => {
      const paid = [...stripe.world.charges.values()].filter(
        (charge) => charge.customer === customer && charge.status === 'succeeded',
      )
      return { cents: stripe.collected(customer), payments: paid.length }
    },
    stop: () => stripe.stop(),
  }
}
