import type { BillingProvider } from '../integrations/billing/index.js'

/** The services outside that the domains work with, each behind an interface in the product's words. */
export interface Integrations {
  billing: BillingProvider
}
