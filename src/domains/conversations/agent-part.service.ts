import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { newId } from '../../shared/ids.js'

// What a person has taken over stays as it is.
const put = new Statement<{ id: string; isManual: boolean }>(
  sql<{ id: string; isManual: boolean }>`with about as (
      select o.owner_user_id, o.sector_id, o.campaign_id from opportunity o
      where o.account_id = ${param('account')} and o.id = ${param('opportunityId')}::uuid)
    insert into conversation as c (id, account_id, status, channel, channel_account_id, contact_id, ai_agent_id, opportunity_id,
      assigned_user_id, sector_id, campaign_id)
    select ${param('id')}::uuid, ${param('account')}::uuid, 'active', 'WHATSAPP', ${param('channelAccountId')}::uuid,
      ${param('contactId')}::uuid, ${param('agentId')}::uuid, ${param('opportunityId')}::uuid, about.owner_user_id,
      about.sector_id, about.campaign_id
    from (select) one left join about on true
    on conflict (account_id, channel_account_id, contact_id)
      where channel_account_id is not null and contact_id is not null and group_id is null
      do update set status = case when c.status = 'manual' then c.status else 'active' end,
        ai_agent_id = case when c.status = 'manual' then c.ai_agent_id else excluded.ai_agent_id end,
        opportunity_id = case when c.status = 'manual' then c.opportunity_id
          else coalesce(excluded.opportunity_id, c.opportunity_id) end
    returning c.id, c.status = 'manual' as "isManual"`,
  { prepared: true },
)

/** Which conversation an agent is to have. */
export interface ForAgent {
  agentId: string
  channelAccountId: string
  contactId: string
  opportunityId?: string | null
}

/** Gives an agent the conversation with a contact who is held, new or not; one that a person has is left as it is. */
export async function giveToAgent(db: Scope, wanted: ForAgent): Promise<{ id: string; isManual: boolean }> {
  const [given] = await db.rows(put, { ...wanted, id: newId() })
  db.wrote(given!.id)
  return given!
}

const qualify = new Statement<never>(
  sql<never>`update conversation set qualification_score = ${param('score')}, qualification_stage = ${param('stage')},
      qualification_reasons = ${param('reasons')}::jsonb, objections_history = ${param('objections')}::jsonb
    where account_id = ${param('account')} and id = ${param('id')}`,
)

/** What is thought of a lead. */
export interface Verdict {
  score: number
  stage: string
  reasons: readonly string[]
  objections: readonly string[]
}

/** Notes in a conversation that is held what is thought of its lead. */
export function qualifyConversation(db: Scope, id: string, { score, stage, reasons, objections }: Verdict): void {
  db.send(qualify, { id, score, stage, reasons: JSON.stringify(reasons), objections: JSON.stringify(objections) })
}
