import { sql } from 'kysely'
import { type Database, param, type Scope, Statement } from '../../database/index.js'
import type { AgentRunKind } from './agent-run.entity.js'
import { COMPOSING, type ComposerTask, type Said } from './composer.service.js'

/** A run that this process has claimed. */
export interface ClaimedRun {
  id: string
  accountId: string
  conversationId: string
  aiAgentId: string
  kind: AgentRunKind
  attempts: number
}

/** How long composing may take, in milliseconds; who takes longer is taken for dead, and it is done again. */
const LEASE_MS = 120_000

const CLAIM = `with due as (
    select id from agent_run where due_at <= now() order by due_at limit $1 for update skip locked)
  update agent_run r set attempts = r.attempts + 1, due_at = now() + $2::float8 * interval '1 millisecond'
  from due where r.id = due.id and r.state = 'due'
  returning r.id, r.account_id as "accountId", r.conversation_id as "conversationId", r.ai_agent_id as "aiAgentId", r.kind,
    r.attempts`

/** Claims at most so many runs that are due. */
export async function claimRuns({ pool }: Database, limit: number): Promise<ClaimedRun[]> {
  return (await pool.query<ClaimedRun>(CLAIM, [limit, LEASE_MS])).rows
}

const RELEASE = `update agent_run set attempts = attempts - 1, due_at = now() where id = any($1) and state = 'due'`

/** Puts claimed runs back that were not begun. */
export async function releaseRuns({ pool }: Database, runs: readonly ClaimedRun[]): Promise<void> {
  if (runs.length > 0) await pool.query(RELEASE, [runs.map(({ id }) => id)])
}

/** How many messages a composer goes back. */
const GOES_BACK = 40

/** What a run is done with, and what the last message was when it was read. */
export interface RunContext extends ComposerTask {
  lastMessageId: string | null
}

type Found = Omit<RunContext, 'said' | 'lastMessageId'> & { said: (Said & { id: string })[] }

const read = new Statement<Found>(
  sql<Found>`select ${COMPOSING} as agent,
    jsonb_build_object('name', p.name, 'company', coalesce(p.company, ''), 'title', coalesce(p.title, '')) as lead,
    coalesce((select jsonb_agg(jsonb_build_object('id', m.id, 'by', m.sender_type, 'text', m.content) order by m.sent_at, m.id)
      from (select * from message where account_id = c.account_id and conversation_id = c.id
        order by sent_at desc, id desc limit ${sql.lit(GOES_BACK)}) m), '[]') as said
    from conversation c
      join ai_agent a on a.account_id = c.account_id and a.id = c.ai_agent_id
      join contact p on p.account_id = c.account_id and p.id = c.contact_id
    where c.account_id = ${param('account')} and c.id = ${param('conversationId')} and c.status = 'active'
      and c.ai_agent_id = ${param('aiAgentId')} and a.status = 'active' and a.deleted_at is null`,
)

/** What a run is done with; undefined where it is not wanted any more. */
export async function contextOf(db: Scope, { conversationId, aiAgentId }: ClaimedRun): Promise<RunContext | undefined> {
  const [found] = await db.rows(read, { conversationId, aiAgentId })
  return found && { ...found, lastMessageId: found.said.at(-1)?.id ?? null }
}
