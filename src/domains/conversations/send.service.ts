import { sql } from 'kysely'
import { type Database, oneAtATime, param, Scope, Statement } from '../../database/index.js'
import type { Addressee, MessagingChannel, Outgoing, Sent } from '../../integrations/channels/index.js'
import { cipher } from '../../kit/cipher.js'
import { errorLog } from '../../kit/error-log.js'
import { messagingChannels } from '../channels/index.js'
import { digitsOf } from '../contacts/index.js'
import type { ClaimedMessage } from './claim.service.js'
import { MessageStatus } from './message.entity.js'
import { noteIdentity } from './person.service.js'
import { providerKey } from './provider-key.service.js'
import { applyWaiting } from './receipt.service.js'

/** How often a provider is asked, some seconds after the first time and twice as long each time after, an hour in all. */
const MAX_ATTEMPTS = 9
const FIRST_PAUSE_MS = 10_000

interface Settled {
  status: MessageStatus
  error: string | null
  messageId?: string
  /** Milliseconds until it is tried again. */
  pauseMs?: number
}

// The words of a provider may name the person, and its ids the phone: they go where the person has gone. A message of which
// the contact was deleted meanwhile is not tried again.
const settle = new Statement<{ contactId: string | null }>(
  sql<{ contactId: string | null }>`update message m set
      status = case when t.status = 'queued' and t.gone then 'failed' else t.status end,
      error = case when not t.gone then ${param('error')}::text end,
      provider_id = case when not t.gone then ${param('providerId')}::text end, provider_key = ${param('key')},
      sent_at = case when t.status = 'sent' then ${param('claimedAt')}::timestamptz else m.sent_at end,
      due_at = case when t.status = 'queued' and not t.gone
        then now() + ${param('pauseMs')}::float8 * interval '1 millisecond' end
    from (select ${param('status')}::text as status, c.contact_id as "contactId",
        c.contact_id is null and c.group_id is null as gone
      from message o join conversation c on c.account_id = o.account_id and c.id = o.conversation_id
      where o.account_id = ${param('account')} and o.id = ${param('id')}) t
    where m.account_id = ${param('account')} and m.id = ${param('id')} and m.status = 'sending'
      and m.attempts = ${param('attempts')}
    returning t."contactId"`,
)

/** Hands a claimed message over and stores what became of it. */
export async function sendClaimed(database: Database, message: ClaimedMessage): Promise<void> {
  const db = Scope.ofSystem(database, message.accountId)
  const sent = await attempt(db, message)
  const settled = outcomeOf(sent, message)
  const { id, channelAccountId, claimedAt, attempts } = message
  await db.transaction(async () => {
    const { messageId = null } = settled
    const key = messageId === null ? null : providerKey(db, channelAccountId, messageId)
    if (key) oneAtATime(db, `message ${key.toString('hex')}`)
    const { status, error, pauseMs = 0 } = settled
    await db.rows(settle, { id, status, error, pauseMs, providerId: messageId, key, claimedAt, attempts })
    if (key) await applyWaiting(db, channelAccountId, key)
  })
  if (sent.outcome === 'accepted' && sent.userId && message.contactId) await learn(db, message, sent.userId)
}

/** Notes who the provider says the contact is. */
function learn(db: Scope, { channelAccountId, kind, contactId }: ClaimedMessage, userId: string): Promise<void> {
  return db.transaction(async () => {
    const [channel] = await db.rows(portfolio, { id: channelAccountId, contactId })
    if (channel) await noteIdentity(db, { id: channelAccountId, kind, ...channel }, contactId!, userId)
  })
}

const portfolio = new Statement<{ portfolioId: string }>(
  sql<{ portfolioId: string }>`select coalesce(a.portfolio_id, '') as "portfolioId"
    from channel_account a, contact c where a.account_id = ${param('account')} and a.id = ${param('id')}
      and c.account_id = ${param('account')} and c.id = ${param('contactId')} for key share of c`,
)

function outcomeOf(sent: Sent, { attempts }: ClaimedMessage): Settled {
  switch (sent.outcome) {
    case 'accepted':
      return { status: MessageStatus.SENT, error: null, messageId: sent.messageId }
    case 'refused':
      return { status: MessageStatus.FAILED, error: short(sent.reason) }
    case 'window closed':
      return { status: MessageStatus.FAILED, error: `Only an approved template may be sent now: ${short(sent.reason)}` }
    case 'later': {
      const status = attempts < MAX_ATTEMPTS ? MessageStatus.QUEUED : MessageStatus.FAILED
      const pause = FIRST_PAUSE_MS * 2 ** (attempts - 1) * (0.5 + Math.random() / 2)
      return {
        status,
        error: `It was not taken: ${short(sent.reason)}`,
        pauseMs: Math.max(pause, sent.retryAfterMs ?? 0),
      }
    }
    default:
      return { status: MessageStatus.UNKNOWN, error: `It may have been sent: ${short(sent.reason)}` }
  }
}

const short = (text: string) => text.replace(/\s+/g, ' ').slice(0, 500)

const refused = (reason: string): Sent => ({ outcome: 'refused', reason })

async function attempt(db: Scope, message: ClaimedMessage): Promise<Sent> {
  const { credentials, channelName, kind, channelAccountId, numberId } = message
  if (!credentials) return refused(`The channel account ${channelName} is disconnected.`)
  if (!message.isCovered) return refused(`The account's seats of ${kind} do not cover ${channelName}.`)
  const to = addresseeOf(message)
  if (!to)
    return refused(
      kind === 'whatsapp' ? 'The contact has no phone number.' : `Who the contact is on ${kind} is not known.`,
    )
  const channel: MessagingChannel = db.get(messagingChannels)[kind]
  if (channel.hasWindow && !message.template && !message.groupId && !message.isWindowOpen) {
    return { outcome: 'window closed', reason: 'the person has not written within the last 24 hours.' }
  }
  const token = tokenOf(db, credentials, channelAccountId)
  // Nothing is wrong with the message: it may go once the service has its key again.
  if (token === undefined) return { outcome: 'later', reason: `the token of ${channelName} cannot be opened.` }
  try {
    return await channel.send({ kind, numberId, token }, to, outgoing(message))
  } catch (error) {
    // A channel does not throw; if one does, nobody knows how far it got.
    return { outcome: 'unknown', reason: (error as Error).message }
  }
}

const LOGGED_EACH_MS = 60_000
let loggedAt = Number.NEGATIVE_INFINITY

/** The token of a channel account; none where the service has not the key that it was sealed with, which is logged once a minute. */
function tokenOf(db: Scope, credentials: Buffer, channelAccountId: string): string | undefined {
  try {
    return db.get(cipher).get().open(credentials, channelAccountId)
  } catch (error) {
    if (performance.now() - loggedAt >= LOGGED_EACH_MS) {
      loggedAt = performance.now()
      db.get(errorLog)(error, 'tokens of channel accounts cannot be opened: their messages wait')
    }
    return undefined
  }
}

function addresseeOf({ groupId, phone, userId, kind }: ClaimedMessage): Addressee | null {
  if (groupId) return { groupId }
  if (phone && kind === 'whatsapp') return { phone: digitsOf(phone) }
  return userId ? { userId } : null
}

function outgoing({ template, content, refersTo }: ClaimedMessage): Outgoing {
  if (template) return { kind: 'template', ...template }
  return { kind: 'text', text: content, ...(refersTo && { replyTo: refersTo }) }
}
