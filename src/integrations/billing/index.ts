export type {
  Ambiguous,
  BillingProvider,
  Charge,
  ChargeOutcome,
  Decline,
  Found,
  Line,
  Paid,
  Renewal,
  SeatTotal,
  Transient,
  Unsettled,
} from './provider.js'
export { type FaultOnDemand, SandboxBilling } from './sandbox.js'
export { cardToKeep } from './test-cards.js'
