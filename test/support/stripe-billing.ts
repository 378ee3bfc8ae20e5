import { type BillingProvider, type FaultOnDemand, StripeBilling } from '../../src/integrations/billing/index.js'
import type { Clock } from '../../src/shared/clock.js'
import { type FaultKind, type LocalStripe, startLocalStripe } from './stripe/index.js'

/** The calls to Stripe of which a method of the interface consists, as patterns, in their order. */
const CALLS: Record<string, readonly string[]> = {
  createCustomer: ['POST /v1/customers$'],
  attachPaymentMethod: ['POST /v1/payment_methods/[^/]+/attach$', 'POST /v1/customers/[^/]+$'],
  charge: [
    'POST /v1/invoices$',
    'POST /v1/invoiceitems$',
    'POST /v1/invoices/[^/]+/finalize$',
    'GET /v1/customers/[^/]+$',
    'POST /v1/invoices/[^/]+/pay$',
    'POST /v1/invoices/[^/]+/void$',
  ],
  renew: ['POST /v1/invoices(/[^/]+)?$', 'POST /v1/invoices/[^/]+/finalize$', 'POST /v1/invoices/[^/]+/pay$'],
  find: ['GET /v1/invoices$'],
  void: ['POST /v1/invoices/[^/]+/void$'],
  refund: ['POST /v1/refunds$'],
  setSeats: ['POST /v1/subscriptions'],
  holdings: ['GET /v1/customers/[^/]+$'],
}
const PAYS = ['charge', 'renew']

const KINDS: Record<Exclude<FaultOnDemand['kind'], 'down'>, FaultKind> = {
  slow: 'slow',
  busy: 'busy',
  lost_before: 'reset_before',
  lost_after: 'truncated',
  error_before: 'error_before',
  error_after: 'error_after',
}

/** Which of a method's calls goes wrong. */
type Place = (calls: readonly string[], fault: FaultOnDemand) => string

/** What matters most: of a charge, whether it begins, and whether it is paid. */
const whereItMatters: Place = (calls, { kind, method }) =>
  PAYS.includes(method!) && kind !== 'busy' ? calls.find((call) => call.endsWith('/pay$'))! : calls[0]!

/** One call after the other, from fault to fault. */
export function eachInTurn(): Place {
  let turn = 0
  return (calls) => calls[turn++ % calls.length]!
}

/** Billing through a local Stripe, and what tests do behind its back. */
export interface StripeUnderTest {
  stripe: LocalStripe
  provider: BillingProvider
  disturb(fault: FaultOnDemand): Promise<void>
  calm(): Promise<void>
}

/** Starts a local Stripe with the product's adapter before it. */
export async function startStripeBilling({
  clock,
  place = whereItMatters,
}: {
  clock?: Clock
  place?: Place
} = {}): Promise<StripeUnderTest> {
  const stripe = await startLocalStripe({ clock })
  const adapter = new StripeBilling({ secretKey: stripe.secretKey, apiBase: stripe.base }, clock)
  let down: string[] = []
  // Nobody listens while a call is made that finds Stripe down.
  const provider = new Proxy<BillingProvider>(adapter, {
    get: (target, name: keyof BillingProvider) => {
      const method = target[name]
      if (typeof method !== 'function') return method
      const call = method.bind(target) as (given: unknown) => Promise<unknown>
      return async (given: unknown) => {
        if (!down.includes(name)) return call(given)
        down = down.filter((other) => other !== name)
        await stripe.goDown()
        try {
          return await call(given)
        } finally {
          await stripe.comeBack()
        }
      }
    },
  })
  return {
    stripe,
    provider,
    disturb: async (fault) => {
      const { kind, method, customerId, delayMs, times = 1 } = fault
      if (kind === 'down') down.push(...Array<string>(times).fill(method!))
      else {
        const path = place(CALLS[method!]!, fault)
        stripe.disturb({ kind: KINDS[kind], path, customer: customerId, delayMs, times })
      }
    },
    calm: async () => {
      down = []
      stripe.calm()
    },
  }
}
