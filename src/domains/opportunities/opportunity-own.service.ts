import { type RawBuilder, sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { type Fault, invalid } from '../../shared/errors.js'

/** That an opportunity is a seller's: they own it. */
export const isOpportunityOf = (seller: unknown, opportunity: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from opportunity s where s.account_id = ${param('account')} and s.id = ${opportunity}
    and s.owner_user_id = ${seller})`

const visible = new Statement<{ visible: boolean }>(
  sql<{ visible: boolean }>`select ${isOpportunityOf(param('ownerScope'), sql`${param('id')}`)} as visible`,
  { prepared: true },
)

/** Whether an owner's opportunity is the viewer's to see. */
export function seesOwner({ viewer }: Scope, ownerUserId: string | null | undefined): boolean {
  return viewer.ownerScope === undefined || viewer.ownerScope === ownerUserId
}

/** Whether the viewer may know of an opportunity of the account. */
export async function seesOpportunity(db: Scope, id: string): Promise<boolean> {
  return db.viewer.ownerScope === undefined || (await db.rows(visible, { id }))[0]!.visible
}

/** What is wrong with an owner whom the viewer names: who sees only their own neither gives any away nor leaves it. */
export function ownerFaults({ viewer }: Scope, ownerUserId: string | null | undefined): Fault[] {
  const { ownerScope } = viewer
  if (ownerScope === undefined || ownerUserId === undefined || ownerUserId?.toLowerCase() === ownerScope) return []
  return [{ path: ['input', 'ownerUserId'], message: 'must be yourself: sellers do not give opportunities away' }]
}

/** Throws VALIDATION_ERROR where the viewer may not make this user the owner. */
export function requireOwner(db: Scope, ownerUserId: string | null | undefined): void {
  const faults = ownerFaults(db, ownerUserId)
  if (faults.length > 0) throw invalid(faults)
}
