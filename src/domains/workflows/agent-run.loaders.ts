import DataLoader from 'dataloader'
import { sql } from 'kysely'
import { type Context, param, Statement } from '../../database/index.js'
import { columnsOf } from '../../kit/reads/index.js'
import { AgentRun } from './agent-run.entity.js'

/** How many of a conversation's runs are shown. */
const SHOWN = 20

const runs = new Statement<AgentRun & { conversationId: string }>(
  sql`select r.conversation_id as "conversationId", ${columnsOf(AgentRun, 'r')}
    from unnest(${param('ids')}::uuid[]) wanted (id) cross join lateral (
      select * from agent_run r where r.account_id = ${param('account')} and r.conversation_id = wanted.id
      order by r.created_at desc, r.id desc limit ${sql.lit(SHOWN)}) r
    order by r.created_at desc, r.id desc`,
)

/** Loads what agents did last in conversations, the newest first. */
export const agentRunsLoader = ({ db }: Context): DataLoader<string, AgentRun[]> =>
  new DataLoader(async (ids) => {
    const found = Map.groupBy(await db.rows(runs, { ids }), ({ conversationId }) => conversationId)
    return ids.map((id) => found.get(id) ?? [])
  })
