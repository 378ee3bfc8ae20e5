import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { AppError, errorKinds, notFound } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import {
  type Answer,
  COMPOSING,
  type ComposerTask,
  type Composing,
  composer,
  NotComposed,
  type Said,
} from './composer.service.js'

/** A conversation that an agent is tried out in: it is nowhere but in this. */
export interface Rehearsal {
  agentId: string
  /** Oldest first; the last is what is answered. */
  said: readonly Said[]
  /** Whom the agent takes the lead for. */
  lead?: Partial<ComposerTask['lead']>
}

/** What the agent would do. */
export interface TriedOut extends Omit<Answer, 'reply'> {
  reply: string | null
}

/** Why an agent that is tried out gives no answer. */
export const AI_ERRORS = errorKinds({
  AGENT_UNAVAILABLE: {
    status: 503,
    meaning: 'The model that writes for agents gave no answer that may be sent.',
    remedy: 'Try again later; in a conversation the agent does so itself, and else people get it.',
  },
})

const read = new Statement<{ agent: Composing }>(
  sql<{ agent: Composing }>`select ${COMPOSING} as agent from ai_agent a
    where a.account_id = ${param('account')} and a.id = ${param('agentId')}::uuid and a.deleted_at is null`,
)

/** When to ask again where the model has not said when. */
const USUAL_WAIT_MS = 60_000

const NOBODY = { name: '', company: '', title: '' }

/**
 * What an agent, be it paused, would answer to what was said: nothing is sent, and nothing is kept but what it took of the
 * account's budget. It may take a minute, so no transaction may be open. NOT_FOUND where there is no such agent,
 * AGENT_UNAVAILABLE where the model does not answer.
 */
export async function tryOut(db: Scope, { agentId, said, lead }: Rehearsal): Promise<TriedOut> {
  const [found] = isUuid(agentId) ? await db.rows(read, { agentId }) : []
  if (!found) throw notFound('agent')
  const task = { ...found, said, lead: { ...NOBODY, ...lead } }
  const { reply, ...rest } = await db
    .get(composer)
    .reply(db, task)
    .catch((error: unknown) => {
      throw error instanceof NotComposed ? unavailable(error) : error
    })
  return { reply: reply?.text ?? null, ...rest }
}

function unavailable({ reason, again }: NotComposed): AppError {
  const retryAfter = Math.max(1, Math.ceil((again?.afterMs ?? USUAL_WAIT_MS) / 1000))
  return new AppError(AI_ERRORS.AGENT_UNAVAILABLE, reason, { extra: { retryAfter } })
}
