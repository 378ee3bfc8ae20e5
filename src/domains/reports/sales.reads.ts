import type { Scope } from '../../database/index.js'
import { amountOf, averageOf, centsOf, percentOf } from '../../shared/ratios.js'
import { type OwnerOutcomes, outcomesByOwner } from './outcomes.reads.js'
import type { ReportFilter } from './report.inputs.js'
import { appliedOf } from './report.types.js'
import type { SalesSummary, SellerResult } from './sales.types.js'

/** How the opportunities stand, added up over all owners. */
export async function salesSummary(db: Scope, filter: ReportFilter | null): Promise<SalesSummary> {
  const rows = await outcomesByOwner(db, filter)
  const count = (name: 'openCount' | 'wonCount' | 'lostCount') => rows.reduce((sum, row) => sum + row[name], 0)
  const cents = (name: 'openValue' | 'wonValue' | 'lostValue') =>
    rows.reduce((sum, row) => sum + centsOf(row[name]), 0n)
  const won = cents('wonValue')
  return {
    open: { count: count('openCount'), value: amountOf(cents('openValue')) },
    won: { count: count('wonCount'), value: amountOf(won) },
    lost: { count: count('lostCount'), value: amountOf(cents('lostValue')) },
    winRate: percentOf(count('wonCount'), count('wonCount') + count('lostCount')),
    averageTicket: averageOf(won, count('wonCount')),
    filters: appliedOf(filter),
  }
}

/** What each seller has open, won and lost, by revenue; what nobody owns is one row, without an id. */
export async function sellersReport(db: Scope, filter: ReportFilter | null): Promise<SellerResult[]> {
  const rows = await outcomesByOwner(db, filter)
  return rows
    .sort(byRevenue)
    .map(({ ownerUserId, ownerUserName, ownerUserEmail, openCount, wonCount, lostCount, wonValue }) => ({
      ...{ ownerUserId, ownerUserName, ownerUserEmail, openCount, wonCount, lostCount },
      revenue: amountOf(centsOf(wonValue)),
      averageTicket: averageOf(centsOf(wonValue), wonCount),
      conversionRate: percentOf(wonCount, wonCount + lostCount),
    }))
}

/** The largest first; equal ones by id, the unassigned last. */
function byRevenue(a: OwnerOutcomes, b: OwnerOutcomes): number {
  const [left, right] = [centsOf(a.wonValue), centsOf(b.wonValue)]
  if (left !== right) return left < right ? 1 : -1
  if (a.ownerUserId === null || b.ownerUserId === null) return a.ownerUserId === null ? 1 : -1
  return a.ownerUserId < b.ownerUserId ? -1 : 1
}
