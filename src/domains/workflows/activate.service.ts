import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { covered } from '../channels/index.js'
import { contactLock, seesContact } from '../contacts/index.js'
import { type ForAgent, giveToAgent } from '../conversations/index.js'
import { opportunityGone } from '../opportunities/index.js'
import { AgentRunKind } from './agent-run.entity.js'
import { ERRAND_ERRORS } from './errand-errors.service.js'
import { startRun } from './run-start.service.js'

/** Which agent is to begin with whom. */
export interface Activation {
  agentId: string
  /** What it sends from; the agent's own if left out, or else the only one of the account. */
  channelAccountId?: string | null
  contactId: string
  opportunityId?: string | null
}

/** What came of an activation. */
export interface Activated {
  conversationId: string
  /** False where a person has the conversation, which is then left alone. */
  started: boolean
}

interface Line {
  id: string
  name: string
  kind: string
  isConnected: boolean
  isCovered: boolean
}

interface Found {
  agent: {
    id: string
    name: string
    type: string
    status: string
    channelAccountId: string | null
    isReady: boolean
  } | null
  contact: { phone: string | null } | null
  lines: Line[]
  /** Whether the opportunity that was named is there. */
  isOpportunityThere: boolean
}

/** The only type of agents that can be activated. */
export const TYPE = 'whatsapp'

const find = new Statement<Found>(
  sql<Found>`select
    (select jsonb_build_object('id', a.id, 'name', a.name, 'type', a.type, 'status', a.status, 'channelAccountId',
        a.channel_account_id, 'isReady', a.opening is not null or a.opening_template is not null) from ai_agent a
      where a.account_id = ${param('account')} and a.id = ${param('agentId')}::uuid and a.deleted_at is null) as agent,
    (select jsonb_build_object('phone', c.phone) from contact c
      where c.account_id = ${param('account')} and c.id = ${param('contactId')}::uuid) as contact,
    coalesce((select jsonb_agg(jsonb_build_object('id', l.id, 'name', l.name, 'kind', l.kind,
        'isConnected', l.status = 'connected', 'isCovered', ${sql.raw(covered('l'))}) order by l.id)
      from channel_account l where l.account_id = ${param('account')}), '[]') as lines,
    (${param('opportunityId')}::uuid is null or exists (select from opportunity o
      where o.account_id = ${param('account')} and o.id = ${param('opportunityId')}::uuid)) as "isOpportunityThere"`,
  { prepared: true },
)

/** Why nothing is begun where a person has the conversation. */
export const TAKEN = 'A person has taken the conversation with this contact over: it is left alone.'

const refused = (message: string) => new AppError(ERRAND_ERRORS.ACTION_NOT_POSSIBLE, message)

/**
 * Has an agent begin with a contact: opens their conversation, or takes the one that is there, and puts the agent's first
 * part into the queue, all with the open transaction. What is in the way is ACTION_NOT_POSSIBLE with a sentence of its own.
 */
export async function activate(
  db: Scope,
  { agentId, channelAccountId, contactId, opportunityId }: Activation,
): Promise<Activated> {
  const id = (given: string | null | undefined) => (given && isUuid(given) ? given.toLowerCase() : null)
  contactLock.toChange(db, contactId)
  const ids = { agentId: id(agentId), contactId: id(contactId), opportunityId: id(opportunityId) }
  const { agent, contact, lines, isOpportunityThere } = (await db.rows(find, ids))[0]!
  if (!agent) throw refused('There is no such agent in this account.')
  if (agent.type !== TYPE) {
    throw refused(`Only agents of type ${TYPE} can be activated: ${agent.name} is of type ${agent.type}.`)
  }
  if (agent.status !== 'active') throw refused(`The agent ${agent.name} is paused.`)
  if (!contact || !(await seesContact(db, contactId))) throw refused('There is no such contact in this account.')
  if (!isOpportunityThere) throw opportunityGone()
  if (!contact.phone) throw refused('The contact has no phone number.')
  if (!agent.isReady)
    throw refused(`The agent ${agent.name} has nothing to open a conversation with: give it an opening.`)
  const line = lineOf(lines, channelAccountId, agent)
  return open(db, { agentId: agent.id, channelAccountId: line.id, contactId, opportunityId: ids.opportunityId })
}

/** The channel account that was named, else the agent's, else the only one that is connected. */
function lineOf(lines: readonly Line[], named: string | null | undefined, agent: NonNullable<Found['agent']>): Line {
  const wanted = named ?? agent.channelAccountId
  const connected = lines.filter(({ kind, isConnected }) => kind === TYPE && isConnected)
  const line = wanted ? lines.find(({ id }) => id === wanted.toLowerCase()) : connected[0]
  if (!line && wanted) throw refused('There is no such channel account in this account.')
  if (!line) throw refused('The account has no connected WhatsApp number.')
  if (!wanted && connected.length > 1) {
    throw refused(`The account has ${connected.length} connected WhatsApp numbers: say which one is to be sent from.`)
  }
  if (line.kind !== TYPE) throw refused(`The channel account ${line.name} is no WhatsApp number, but of ${line.kind}.`)
  if (!line.isConnected) throw refused(`The channel account ${line.name} is disconnected.`)
  if (!line.isCovered) throw refused(`The account's seats of ${TYPE} do not cover the channel account ${line.name}.`)
  return line
}

async function open(db: Scope, activation: ForAgent): Promise<Activated> {
  const { id, isManual } = await giveToAgent(db, activation)
  if (!isManual) startRun(db, { conversationId: id, aiAgentId: activation.agentId, kind: AgentRunKind.OPENING })
  return { conversationId: id, started: !isManual }
}
