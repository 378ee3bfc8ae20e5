import { sql } from 'kysely'
import { param, RunAgain, type Scope, Statement } from '../../database/index.js'

/** What a new opportunity belongs to, which decides by whose rule it gets an owner. */
export interface OwnerQuestion {
  sectorId?: string | null
  /** The sector of the opportunity's campaign. */
  campaignSectorId?: string | null
  pipelineId?: string | null
}

const take = new Statement<{ rule: string; owner: string | null }>(
  sql<{ rule: string; owner: string | null }>`select rule, owner from take_turn(${param('account')},
    ${param('sectorId')}, ${param('campaignSectorId')}, ${param('pipelineId')})`,
  { prepared: true },
)

/**
 * Whose turn it is to own a new opportunity, inside the transaction that creates it: by the rule of its sector, else of
 * its campaign's sector, else of its pipeline, else of the account; null where none of them is on and has an active
 * member. It is the turn of who has had the fewest, of several the one whose last was longest ago. The turn is taken when
 * the transaction commits; until then others by the same rule wait, so ask for it late.
 */
export async function nextOwner(db: Scope, question: OwnerQuestion): Promise<string | null> {
  const { sectorId = null, campaignSectorId = null, pipelineId = null } = question
  const [found] = await db.rows(take, { sectorId, campaignSectorId, pipelineId })
  if (!found) return null
  if (!found.owner) throw new RunAgain('the members of the rule went meanwhile')
  return found.owner
}
