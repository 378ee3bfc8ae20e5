import type { Database } from '../../database/index.js'
import { type Compared, type Comparing, compareAgencies } from './compare.service.js'
import { noteComparison } from './comparison.service.js'

/** That provider and database differ in what people must look at. */
class BillingDiffers extends Error {}

/** Compares all agencies and mends what is safe; throws what is left, which is an alarm in the log. */
export async function compareAndReport(database: Database, comparing: Omit<Comparing, 'apply'>): Promise<void> {
  const compared = await compareAgencies(database, { ...comparing, apply: true })
  await noteComparison(database, comparing.days, compared)
  const left = compared.flatMap(linesOf)
  if (left.length > 0) throw new BillingDiffers(`billing differs:\n${left.join('\n')}`)
}

/** What is left of an agency. One whose money was being moved is compared the next time. */
function linesOf({ agencyKey, trouble, busy, differences }: Compared): string[] {
  const left = differences.filter(({ mended }) => !mended).map(({ kind, what }) => `${agencyKey} ${kind}: ${what}`)
  return trouble && !busy ? [...left, `${agencyKey}: ${trouble}`] : left
}
