import type { Database } from '../../database/index.js'
import type { ChannelKind, Template } from '../../integrations/channels/index.js'
import { covered } from '../channels/index.js'

/** A message that this process has claimed, with all that it takes to hand it over. */
export interface ClaimedMessage {
  id: string
  accountId: string
  attempts: number
  content: string
  template: Template | null
  refersTo: string | null
  /** When it was claimed, which is when it is sent. */
  claimedAt: Date
  channelAccountId: string
  channelName: string
  kind: ChannelKind
  numberId: string
  /** Null when the channel account is disconnected. */
  credentials: Buffer | null
  /** Whether the account's seats cover the channel account. */
  isCovered: boolean
  groupId: string | null
  contactId: string | null
  phone: string | null
  userId: string | null
  /** Whether the person has written within the last 24 hours. */
  isWindowOpen: boolean
}

/** How long whoever has claimed a message may take, in milliseconds: longer than any channel does. */
export const LEASE_MS = 180_000

// Of a conversation one message is sent after the other.
const CLAIM = `with due as (
    select m.id from message m where m.status = 'queued' and m.due_at <= now()
      and not exists (select from message e where e.account_id = m.account_id and e.conversation_id = m.conversation_id
        and e.due_at is not null and (e.sent_at, e.id) < (m.sent_at, m.id))
    order by m.due_at limit $1 for update of m skip locked)
  update message m set status = 'sending', attempts = m.attempts + 1, due_at = now() + $2::float8 * interval '1 millisecond'
  from due, conversation c, channel_account a
  where m.id = due.id and m.status = 'queued' and c.account_id = m.account_id and c.id = m.conversation_id
    and a.account_id = m.account_id and a.id = m.channel_account_id
  returning m.id, m.account_id as "accountId", m.attempts, m.content, m.template, m.refers_to as "refersTo",
    now() as "claimedAt", a.id as "channelAccountId", a.name as "channelName", a.kind, a.external_id as "numberId",
    a.credentials, ${covered('a')} as "isCovered", c.group_id as "groupId", c.contact_id as "contactId",
    (select p.phone from contact p where p.account_id = c.account_id and p.id = c.contact_id) as phone,
    (select i.user_id from channel_identity i where i.account_id = c.account_id and i.contact_id = c.contact_id
      and i.kind = a.kind and i.portfolio_id = coalesce(a.portfolio_id, '') order by i.id desc limit 1) as "userId",
    coalesce(c.last_inbound_at > now() - interval '24 hours', false) as "isWindowOpen"`

/** Claims at most so many messages that are due: from then on each is sent once, by this process, or never. */
export async function claimMessages({ pool }: Database, limit: number): Promise<ClaimedMessage[]> {
  return (await pool.query<ClaimedMessage>(CLAIM, [limit, LEASE_MS])).rows
}

const RELEASE = `update message set status = 'queued', attempts = attempts - 1, due_at = now()
  where id = any($1) and status = 'sending'`

/** Puts claimed messages back that were surely not handed over. */
export async function releaseMessages({ pool }: Database, messages: readonly ClaimedMessage[]): Promise<void> {
  if (messages.length > 0) await pool.query(RELEASE, [messages.map(({ id }) => id)])
}

const ABANDON = `update message m set status = 'unknown', due_at = null,
    error = case when m.content <> '' then 'The process that was sending it has died: it may have been sent.' end
  where m.status = 'sending' and m.due_at <= now()`

/** Notes of messages whose process died while it sent them that nobody knows what became of them. */
export async function giveUpAbandoned({ pool }: Database): Promise<number> {
  return (await pool.query(ABANDON)).rowCount ?? 0
}
