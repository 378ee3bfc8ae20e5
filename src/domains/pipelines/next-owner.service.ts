import { sql } from 'kysely'
import { param, RunAgain, type Scope, Statement } from '../../database/index.js'

/** What a new opportunity belongs to, which decides by whose rule it gets an owner. */
export interface OwnerQuestion {
  sectorId?: string | null
  /** The sector of the opportunity's campaign. */
  campaignSectorId?: string | null
  pipelineId?: string | null
}

/** Members who can be given something, in their order. */
const ACTIVE_MEMBERS = sql`round_robin_member m join app_user u
  on u.account_id = m.account_id and u.id = m.user_id and u.is_active and u.deleted_at is null`

const is = (column: string, name: string) => sql`${sql.ref(column)} = ${param(name)}::uuid`

// The rule's row is locked by the update until the transaction ends, so each turn is given away once, and one that was
// rolled back is given to the next. The update reads the turn as it is when it has the lock.
const take = new Statement<{ rule: string; owner: string | null }>(
  sql<{ rule: string; owner: string | null }>`with rule as (
      select r.id from round_robin_rule r
      where r.account_id = ${param('account')} and r.is_active
        and (${is('r.sector_id', 'sectorId')} or ${is('r.sector_id', 'campaignSectorId')}
          or ${is('r.pipeline_id', 'pipelineId')} or (r.sector_id is null and r.pipeline_id is null))
        and exists (select from ${ACTIVE_MEMBERS} where m.account_id = r.account_id and m.rule_id = r.id)
      order by case when ${is('r.sector_id', 'sectorId')} then 1 when ${is('r.sector_id', 'campaignSectorId')} then 2
        when ${is('r.pipeline_id', 'pipelineId')} then 3 else 4 end
      limit 1),
    taken as (
      update round_robin_rule r set turn = r.turn + 1 from rule
      where r.account_id = ${param('account')} and r.id = rule.id and r.is_active
      returning r.turn - 1 as turn),
    members as (
      select m.user_id, row_number() over (order by m.position, m.user_id) - 1 as place, count(*) over () as n
      from rule, ${ACTIVE_MEMBERS} where m.account_id = ${param('account')} and m.rule_id = rule.id)
    select rule.id as rule, (select members.user_id from members, taken
      where members.place = taken.turn % members.n) as owner
    from rule`,
  { prepared: true },
)

/**
 * Whose turn it is to own a new opportunity, inside the transaction that creates it: by the rule of its sector, else of
 * its campaign's sector, else of its pipeline, else of the account; null where none of them is on and has an active
 * member. The turn is taken when the transaction commits; until then others by the same rule wait, so ask for it late.
 */
export async function nextOwner(db: Scope, question: OwnerQuestion): Promise<string | null> {
  const { sectorId = null, campaignSectorId = null, pipelineId = null } = question
  const [found] = await db.rows(take, { sectorId, campaignSectorId, pipelineId })
  if (!found) return null
  if (!found.owner) throw new RunAgain('the rule was switched off or deleted meanwhile')
  return found.owner
}
