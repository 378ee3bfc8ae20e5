import { defineDomain } from '../../kit/domain.js'
import { agencies } from '../agencies/index.js'
import { billingJobs } from './billing.job.js'
import { BillingResolver } from './billing.resolver.js'
import { BillingComparison } from './comparison.entity.js'
import { DIFFERENCES } from './comparison.service.js'
import { LedgerEntry, SeatChange } from './ledger.entity.js'
import { BillingNotice } from './notice.entity.js'
import { SeatCharge } from './seat-charge.entity.js'
import { BillingStanding } from './standing.entity.js'

export { type ChargeRefunded, chargeRefunded, invoiceChanged } from './billing.facts.js'
export type { Settled } from './collect.service.js'
export { type Compared, compareAgencies } from './compare.service.js'
export { noteComparison } from './comparison.service.js'
export { type Difference, type DifferenceKind, keyOf, MENDING } from './difference.service.js'
export { LedgerEntry, SeatChange } from './ledger.entity.js'
export type { Balance } from './ledger.service.js'
export { takeNotice } from './notice.service.js'
export { reconcileAbandoned } from './reconcile.service.js'
export { renewDue } from './renewal.service.js'
export { SeatBilling, type SeatRequest } from './seat-billing.service.js'
export { SeatCharge } from './seat-charge.entity.js'
export { tellSeats } from './tell-seats.service.js'
export { AgencyBusy, type Turn, TurnNotReached, type TurnPace } from './turn.service.js'

/** What agencies owe for the seats of their sub-accounts, and how it is collected. */
export const billing = defineDomain({
  name: 'billing',
  uses: [agencies],
  entities: [SeatCharge, SeatChange, LedgerEntry, BillingStanding, BillingNotice, BillingComparison],
  resolvers: [BillingResolver],
  jobs: billingJobs,
  queues: [DIFFERENCES],
})
