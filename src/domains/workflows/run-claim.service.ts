import { sql } from 'kysely'
import { type Database, param, type Scope, Statement } from '../../database/index.js'
import type { AgentRunKind } from './agent-run.entity.js'
import { COMPOSING, type ComposerTask } from './composer.service.js'

/** A run that this process has claimed. */
export interface ClaimedRun {
  id: string
  accountId: string
  conversationId: string
  aiAgentId: string
  kind: AgentRunKind
  /** How often it was claimed. */
  attempts: number
  /** How often it led to nothing. */
  failures: number
}

/** How long composing may take, in milliseconds; who takes longer is taken for dead, and it is done again. */
const LEASE_MS = 120_000

const CLAIM = `with due as (
    select id from agent_run where due_at <= now() order by due_at limit $1 for update skip locked)
  update agent_run r set attempts = r.attempts + 1, due_at = now() + $2::float8 * interval '1 millisecond'
  from due where r.id = due.id and r.state = 'due'
  returning r.id, r.account_id as "accountId", r.conversation_id as "conversationId", r.ai_agent_id as "aiAgentId", r.kind,
    r.attempts, r.failures`

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

/** What a run is done with, and what may change while that goes on. */
export interface RunContext extends ComposerTask {
  lastMessageId: string | null
  agentVersion: string
}

/** What tells whether the agent `a` of the conversation `c` is to write in it. What no seat covers is never sent. */
export const WANTED = sql<boolean>`c.status = 'active' and a.status = 'active' and a.deleted_at is null
  and (c.channel_account_id is null or channel_limit(c.account_id, lower(c.channel)) is distinct from 0)`

/** The last message of the conversation `c`, and the state of what the agent `a` was told to be. */
export const STANDING = sql`(select m.id from message m where m.account_id = c.account_id and m.conversation_id = c.id
    order by m.sent_at desc, m.id desc limit 1) as "lastMessageId", a.updated_at::text as "agentVersion"`

const read = new Statement<RunContext>(
  sql<RunContext>`select ${COMPOSING} as agent,
    jsonb_build_object('name', p.name, 'company', coalesce(p.company, ''), 'title', coalesce(p.title, '')) as lead,
    ${STANDING},
    coalesce((select jsonb_agg(jsonb_build_object('by', m.sender_type, 'text', m.content) order by m.sent_at, m.id)
      from (select * from message where account_id = c.account_id and conversation_id = c.id and status is distinct from 'failed'
        order by sent_at desc, id desc limit ${sql.lit(GOES_BACK)}) m), '[]') as said
    from conversation c
      join ai_agent a on a.account_id = c.account_id and a.id = c.ai_agent_id
      join contact p on p.account_id = c.account_id and p.id = c.contact_id
    where c.account_id = ${param('account')} and c.id = ${param('conversationId')}
      and c.ai_agent_id = ${param('aiAgentId')} and ${WANTED}`,
)

/** What a run is done with; undefined where it is not wanted any more. */
export async function contextOf(db: Scope, { conversationId, aiAgentId }: ClaimedRun): Promise<RunContext | undefined> {
  return (await db.rows(read, { conversationId, aiAgentId }))[0]
}
