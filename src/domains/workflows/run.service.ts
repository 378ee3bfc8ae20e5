import { sql } from 'kysely'
import { type Database, param, Scope, Statement } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import { holdConversation, qualifyConversation, queueMessage, SenderType } from '../conversations/index.js'
import { AgentRunKind, AgentRunState } from './agent-run.entity.js'
import { type Composition, composer, type Qualification } from './composer.service.js'
import { type ClaimedRun, contextOf, type RunContext } from './run-claim.service.js'

const MAX_ATTEMPTS = 6
const FIRST_PAUSE_MS = 5000

// A run that somebody else has settled, or taken up again since, stays as it is.
const settle = new Statement<{ id: string }>(
  sql<{
    id: string
  }>`update agent_run set state = ${param('state')}, message_id = ${param('messageId')}, error = ${param('error')},
      due_at = case when ${param('state')}::text = 'due' then now() + ${param('pauseMs')}::float8 * interval '1 millisecond' end
    where account_id = ${param('account')} and id = ${param('id')} and state = 'due' and attempts = ${param('attempts')}
    returning id`,
)

interface Outcome {
  state: AgentRunState
  messageId?: string | null
  error?: string | null
  pauseMs?: number
}

async function store(
  db: Scope,
  { id, attempts }: ClaimedRun,
  { messageId = null, error = null, pauseMs = 0, state }: Outcome,
) {
  return (await db.rows(settle, { id, attempts, state, messageId, error, pauseMs })).length > 0
}

/** Composes what a run is for, and puts it into the queue of messages; what fails is tried again, with pauses that grow. */
export async function carryOut(database: Database, run: ClaimedRun): Promise<void> {
  const db = Scope.ofSystem(database, run.accountId)
  try {
    const context = await contextOf(db, run)
    if (!context) return void (await store(db, run, { state: AgentRunState.DROPPED }))
    const composed = await compose(db, run, context)
    await db.transaction(() => record(db, run, context, composed))
  } catch (error) {
    const isLast = run.attempts >= MAX_ATTEMPTS
    const pauseMs = FIRST_PAUSE_MS * 2 ** (run.attempts - 1)
    const told = error instanceof AppError ? error.message : 'It could not be composed.'
    await store(db, run, { state: isLast ? AgentRunState.FAILED : AgentRunState.DUE, error: told, pauseMs })
    if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error
  }
}

interface Composed {
  message: Composition | null
  qualification: Qualification | null
}

async function compose(db: Scope, { kind }: ClaimedRun, context: RunContext): Promise<Composed> {
  const writer = db.get(composer)
  if (kind === AgentRunKind.OPENING) return { message: await writer.opening(db, context), qualification: null }
  const { reply, qualification } = await writer.reply(db, context)
  return { message: reply, qualification }
}

const standing = new Statement<{ isWanted: boolean; lastMessageId: string | null }>(
  sql<{ isWanted: boolean; lastMessageId: string | null }>`select
      c.status = 'active' and c.ai_agent_id = ${param('aiAgentId')} and a.status = 'active' and a.deleted_at is null as "isWanted",
      (select m.id from message m where m.account_id = c.account_id and m.conversation_id = c.id
        order by m.sent_at desc, m.id desc limit 1) as "lastMessageId"
    from conversation c left join ai_agent a on a.account_id = c.account_id and a.id = c.ai_agent_id
    where c.account_id = ${param('account')} and c.id = ${param('conversationId')}`,
)

// Somebody took over, or the lead has written more, while it was composed: who holds the conversation knows.
async function record(
  db: Scope,
  run: ClaimedRun,
  context: RunContext,
  { message, qualification }: Composed,
): Promise<void> {
  const { conversationId, aiAgentId, kind } = run
  const held = await holdConversation(db, conversationId)
  const [now] = await db.rows(standing, { conversationId, aiAgentId })
  if (!now?.isWanted) return void (await store(db, run, { state: AgentRunState.DROPPED }))
  if (kind === AgentRunKind.REPLY && now.lastMessageId !== context.lastMessageId) {
    return void (await store(db, run, { state: AgentRunState.DUE }))
  }
  const messageId = message
    ? await queueMessage(db, held, {
        senderType: SenderType.AI,
        content: message.text,
        template: message.template,
        aiAgentId,
      })
    : null
  if (qualification) qualifyConversation(db, conversationId, qualification)
  // Whoever took this run for dead does it again: then what was stored here goes.
  if (!(await store(db, run, { state: AgentRunState.DONE, messageId }))) {
    throw new AppError('NOT_FOUND', 'The run was settled meanwhile.')
  }
}
