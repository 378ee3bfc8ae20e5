import { sql } from 'kysely'
import { type Database, param, Scope, Statement } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import {
  handToPeople,
  holdConversation,
  qualifyConversation,
  queueMessage,
  SenderType,
} from '../conversations/index.js'
import { AgentRunKind, AgentRunState } from './agent-run.entity.js'
import { type Answer, composer, NotComposed } from './composer.service.js'
import { type ClaimedRun, contextOf, type RunContext, STANDING, WANTED } from './run-claim.service.js'
import { PAUSE_MS, settleRun } from './run-settle.service.js'

/** How often composing may fail, some seconds after the first time and twice as long each time after: the lead is waiting. */
const MAX_FAILURES = 6
const FIRST_PAUSE_MS = 5000
/** Who must wait longer than this for an answer gets it from a person. */
const MAX_PAUSE_MS = 300_000
/** A run that so many processes have died of is not taken up again. */
const MAX_ATTEMPTS = 20

/**
 * Composes what a run is for, and puts it into the queue of messages, in one transaction with all else that comes of it. What
 * fails is tried again, with pauses that grow; when it cannot be, people have the conversation.
 */
export async function carryOut(database: Database, run: ClaimedRun): Promise<void> {
  const db = Scope.ofSystem(database, run.accountId)
  try {
    if (run.attempts > MAX_ATTEMPTS) throw new NotComposed('Each process that composed it has died.')
    const context = await contextOf(db, run)
    if (!context) return void (await settleRun(db, run, { state: AgentRunState.DROPPED }))
    const composed = await compose(db, run, context)
    await db.transaction(() => record(db, run, context, composed))
  } catch (error) {
    // Somebody else has settled it, or the conversation is gone.
    if (error instanceof AppError && error.code === 'NOT_FOUND') return
    const reason = error instanceof NotComposed ? error.reason : 'It could not be composed.'
    const pauseMs = pauseAfter(run, error)
    if (pauseMs !== undefined) {
      await settleRun(db, run, { state: AgentRunState.DUE, error: reason, pauseMs, failures: run.failures + 1 })
      if (error instanceof NotComposed) return
    } else await db.transaction(() => giveUp(db, run, reason))
    throw error
  }
}

/** Milliseconds until it is tried again; undefined where it is not. */
function pauseAfter({ failures }: ClaimedRun, error: unknown): number | undefined {
  const again = error instanceof NotComposed ? error.again : {}
  if (!again || failures + 1 >= MAX_FAILURES) return undefined
  const pause = Math.max(FIRST_PAUSE_MS * 2 ** failures * (0.75 + Math.random() / 2), again.afterMs ?? 0)
  return pause > MAX_PAUSE_MS ? undefined : pause
}

type Composed = Pick<Answer, 'reply' | 'qualification' | 'handsOver'>

async function compose(db: Scope, { kind }: ClaimedRun, context: RunContext): Promise<Composed> {
  const writer = db.get(composer)
  if (kind === AgentRunKind.REPLY) return writer.reply(db, context)
  return { reply: await writer.opening(db, context), qualification: null, handsOver: null }
}

interface Standing {
  isWanted: boolean
  lastMessageId: string | null
  agentVersion: string | null
}

const standing = new Statement<Standing>(
  sql<Standing>`select coalesce(c.ai_agent_id = ${param('aiAgentId')} and ${WANTED}, false) as "isWanted", ${STANDING}
    from conversation c left join ai_agent a on a.account_id = c.account_id and a.id = c.ai_agent_id
    where c.account_id = ${param('account')} and c.id = ${param('conversationId')}`,
)

/** Holds the conversation of a run, and looks whether its agent is still to write in it. */
async function hold(db: Scope, { conversationId, aiAgentId }: ClaimedRun) {
  const held = await holdConversation(db, conversationId)
  return { held, now: (await db.rows(standing, { conversationId, aiAgentId }))[0]! }
}

// Somebody took over, the lead has written more, or the agent is told something else, while it was composed: who holds the
// conversation knows.
async function record(
  db: Scope,
  run: ClaimedRun,
  context: RunContext,
  { reply, qualification, handsOver }: Composed,
): Promise<void> {
  const { conversationId, aiAgentId, kind } = run
  const { held, now } = await hold(db, run)
  if (!now.isWanted) return void (await settleRun(db, run, { state: AgentRunState.DROPPED }))
  const hasMore = kind === AgentRunKind.REPLY && now.lastMessageId !== context.lastMessageId
  if (hasMore || now.agentVersion !== context.agentVersion) {
    return void (await settleRun(db, run, { state: AgentRunState.DUE, pauseMs: PAUSE_MS }))
  }
  const message = reply && {
    senderType: SenderType.AI as const,
    content: reply.text,
    template: reply.template,
    aiAgentId,
  }
  const messageId = message ? await queueMessage(db, held, message) : null
  if (qualification) qualifyConversation(db, conversationId, qualification)
  if (handsOver) handToPeople(db, held, handsOver)
  // Whoever took this run for dead does it again: then what was stored here goes.
  if (!(await settleRun(db, run, { state: AgentRunState.DONE, messageId, error: handsOver }))) {
    throw new AppError('NOT_FOUND', 'The run was settled meanwhile.')
  }
}

/** Settles what cannot be composed: a lead who has written is not left without an answer, people see that it is for them. */
async function giveUp(db: Scope, run: ClaimedRun, reason: string): Promise<void> {
  const { held, now } = await hold(db, run)
  const state = now.isWanted ? AgentRunState.FAILED : AgentRunState.DROPPED
  const isMine = await settleRun(db, run, { state, error: reason, failures: run.failures + 1 })
  if (isMine && now.isWanted && run.kind === AgentRunKind.REPLY) {
    handToPeople(db, held, `The agent could not answer. ${reason}`)
  }
}
