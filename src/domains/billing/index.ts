import { defineDomain } from '../../kit/domain.js'
import { agencies } from '../agencies/index.js'
import { LedgerEntry, SeatChange } from './ledger.entity.js'
import { SeatCharge } from './seat-charge.entity.js'
import { BillingStanding } from './standing.entity.js'

export { LedgerEntry, SeatChange } from './ledger.entity.js'
export { SeatCharge } from './seat-charge.entity.js'

/** What agencies owe for the seats of their sub-accounts, and how it is collected. */
export const billing = defineDomain({
  name: 'billing',
  uses: [agencies],
  entities: [SeatCharge, SeatChange, LedgerEntry, BillingStanding],
})
