export type { Notice, ReadNotice } from './notice.js'
export type {
  Ambiguous,
  BillingProvider,
  CardOnFile,
  Charge,
  ChargeOutcome,
  Decline,
  Found,
  HeldInvoice,
  Holdings,
  InvoiceStatus,
  Line,
  Paid,
  Renewal,
  SeatTotal,
  Transient,
  Unsettled,
} from './provider.js'
export { type FaultOnDemand, SandboxBilling } from './sandbox.js'
export type { StripeSettings } from './stripe/client.js'
export { StripeBilling } from './stripe/index.js'
export { stripeNotices } from './stripe/webhook.js'
export { cardToKeep } from './test-cards.js'
