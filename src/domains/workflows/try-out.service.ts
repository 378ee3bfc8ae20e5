import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { notFound } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { type Answer, COMPOSING, type ComposerTask, type Composing, composer, type Said } from './composer.service.js'

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

const read = new Statement<{ agent: Composing }>(
  sql<{ agent: Composing }>`select ${COMPOSING} as agent from ai_agent a
    where a.account_id = ${param('account')} and a.id = ${param('agentId')}::uuid and a.deleted_at is null`,
)

const NOBODY = { name: '', company: '', title: '' }

/**
 * What an agent, be it paused, would answer to what was said: nothing is sent, and nothing is kept but what it took of the
 * account's budget. It may take a minute, so no transaction may be open. NOT_FOUND where there is no such agent.
 */
export async function tryOut(db: Scope, { agentId, said, lead }: Rehearsal): Promise<TriedOut> {
  const [found] = isUuid(agentId) ? await db.rows(read, { agentId }) : []
  if (!found) throw notFound('agent')
  const { reply, ...rest } = await db.get(composer).reply(db, { ...found, said, lead: { ...NOBODY, ...lead } })
  return { reply: reply?.text ?? null, ...rest }
}
