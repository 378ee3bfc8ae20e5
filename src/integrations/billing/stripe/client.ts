import type { Stripe } from 'stripe'
import { lazily } from '../../../shared/lazily.js'

/** The package's class, which only a process that has to do with Stripe loads: for `require` it is all of the package. */
export const stripeClass = lazily<typeof Stripe>('stripe')

/** How to reach Stripe. */
export interface StripeSettings {
  secretKey: string
  /** Another address than Stripe's own, without a path: a local Stripe of tests. */
  apiBase?: string
}

/** The version of Stripe's API that this adapter was written for; the account's own does not matter. */
const API_VERSION = '2026-10-28.endive'

/** Longer than Stripe takes for a payment; a call that took longer is repeated with its key. */
const TIMEOUT_MS = 15_000

/**
 * Stripe's client. It repeats nothing by itself: only who knows what was stored of a call may tell whether the same key can
 * be used again.
 */
export function createStripe({ secretKey, apiBase }: StripeSettings): Stripe {
  return new (stripeClass())(secretKey, {
    apiVersion: API_VERSION,
    maxNetworkRetries: 0,
    timeout: TIMEOUT_MS,
    telemetry: false,
    appInfo: { name: 'Fairlead' },
    ...(apiBase && addressOf(new URL(apiBase))),
  })
}

const addressOf = ({ protocol, hostname, port }: URL) => ({
  protocol: protocol === 'http:' ? ('http' as const) : ('https' as const),
  host: hostname,
  port: port || (protocol === 'http:' ? 80 : 443),
})
