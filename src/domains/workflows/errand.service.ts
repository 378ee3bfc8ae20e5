import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { tellChange } from '../../kit/changes.js'
import { AppError, notFound } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { contactLock, seesContact } from '../contacts/index.js'
import { type HeldConversation, handToPeople, holdConversation } from '../conversations/index.js'
import { activate, TAKEN } from './activate.service.js'
import { AgentRunKind } from './agent-run.entity.js'
import { type Able, ableAgent, errandsOf } from './errand.loaders.js'
import { type AiAgentActionDone, Errand, type RunAiAgentActionInput } from './errand.types.js'
import { ERRAND_ERRORS } from './errand-errors.service.js'
import { startRun } from './run-start.service.js'

/**
 * Has an agent do something with a contact, in one transaction: what it says is sent right after. Who had it done is written
 * down, of the agent and of the contact. NOT_FOUND, and ERRAND_ERRORS.
 */
export function tellAgent(db: Scope, agentId: string, input: RunAiAgentActionInput): Promise<AiAgentActionDone> {
  const { action } = input
  return db.transaction(async () => {
    const agent = isUuid(agentId) ? await ableAgent(db, agentId) : undefined
    if (!agent) throw notFound('agent')
    const contactId = input.contactId.toLowerCase()
    await requireContact(db, contactId)
    requireAble(db, agent, action)
    const conversationId = await DO[action](db, agent, { ...input, contactId })
    await tellChange(db, 'ai_agent', agent.id, 'executed', [action])
    await tellChange(db, 'contact', contactId, action)
    db.wrote(contactId)
    return { action, aiAgentId: agent.id, contactId, conversationId }
  })
}

const contact = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from contact where account_id = ${param('account')} and id = ${param('id')}::uuid`,
)

async function requireContact(db: Scope, id: string): Promise<void> {
  contactLock.toChange(db, id)
  const [found] = await db.rows(contact, { id })
  if (!found || !(await seesContact(db, id))) throw notFound('contact')
}

function requireAble(db: Scope, agent: Able, action: Errand): void {
  const { AGENT_PAUSED, ACTION_NOT_AVAILABLE } = ERRAND_ERRORS
  if (!agent.isActive) throw new AppError(AGENT_PAUSED, `The agent ${agent.name} is paused.`)
  const has = errandsOf(db, agent)
  if (has.includes(action)) return
  throw new AppError(ACTION_NOT_AVAILABLE, `The agent ${agent.name} cannot ${action}. What it can: ${has.join(', ')}.`)
}

type Do = (db: Scope, agent: Able, input: RunAiAgentActionInput) => Promise<string>

/** What is done by which action; resolves to the id of the conversation. */
const DO: Readonly<Record<Errand, Do>> = {
  async [Errand.BEGIN_CONVERSATION](db, { id: agentId }, { contactId, channelAccountId }) {
    const { conversationId, started } = await activate(db, { agentId, channelAccountId, contactId })
    if (!started) throw impossible(TAKEN)
    return conversationId
  },
  async [Errand.ANSWER](db, agent, { contactId }) {
    const { id, isAnswered } = await holdOwn(db, agent, contactId)
    if (isAnswered) throw impossible('The contact has written nothing that is not answered.')
    startRun(db, { conversationId: id, aiAgentId: agent.id, kind: AgentRunKind.REPLY })
    return id
  },
  async [Errand.HAND_OVER](db, agent, { contactId, reason }) {
    const held = await holdOwn(db, agent, contactId)
    handToPeople(db, held, reason ?? `${db.viewer.actor.name} had ${agent.name} leave this to a person.`)
    return held.id
  },
}

const own = new Statement<{ id: string; isAnswered: boolean }>(
  sql<{ id: string; isAnswered: boolean }>`select c.id, coalesce((select m.sender_type <> 'lead' from message m
      where m.account_id = c.account_id and m.conversation_id = c.id order by m.sent_at desc, m.id desc limit 1), true)
      as "isAnswered"
    from conversation c
    where c.account_id = ${param('account')} and c.contact_id = ${param('contactId')}::uuid
      and c.ai_agent_id = ${param('agentId')}::uuid and c.group_id is null
    order by c.status = 'active' desc, c.last_message_at desc nulls last, c.id desc limit 1`,
)

/** Holds the conversation that an agent has with a contact who is held; one that a person has is none of its own any more. */
async function holdOwn(db: Scope, agent: Able, contactId: string): Promise<HeldConversation & { isAnswered: boolean }> {
  const [found] = await db.rows(own, { contactId, agentId: agent.id })
  if (!found) throw impossible(`The agent ${agent.name} has no conversation with this contact.`)
  const held = await holdConversation(db, found.id)
  if (held.status === 'manual') throw impossible(TAKEN)
  if (held.status !== 'active') throw impossible('The conversation with this contact is over.')
  return { ...held, isAnswered: found.isAnswered }
}

const impossible = (message: string) => new AppError(ERRAND_ERRORS.ACTION_NOT_POSSIBLE, message)
