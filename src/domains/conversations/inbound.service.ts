import { sql } from 'kysely'
import { oneAtATime, param, type Scope, Statement } from '../../database/index.js'
import { notFound } from '../../shared/errors.js'
import { newId } from '../../shared/ids.js'
import { noteInteraction } from '../contacts/index.js'
import { messageReceived } from './conversation.facts.js'
import { groupNameOf } from './group-name.service.js'
import type { InboundMessage, RecordedMessage } from './inbound.types.js'
import { contactOf, type Incoming } from './person.service.js'
import { providerKey } from './provider-key.service.js'

const channelOf = new Statement<Incoming>(
  sql<Incoming>`select id, kind, coalesce(portfolio_id, '') as "portfolioId" from channel_account
    where account_id = ${param('account')} and id = ${param('id')}`,
  { prepared: true },
)

const twin = new Statement<{ id: string; conversationId: string }>(
  sql<{ id: string; conversationId: string }>`select id, conversation_id as "conversationId" from message
    where account_id = ${param('account')} and channel_account_id = ${param('channelAccountId')}
      and provider_key = ${param('key')}`,
  { prepared: true },
)

// Who writes first gets the agent of that number, where it is clear which, and goes to whoever owns their opportunity.
const FIRST = {
  agent: sql`(select min(a.id::text)::uuid from ai_agent a where a.account_id = ${param('account')}
    and a.channel_account_id = ${param('channelAccountId')} and a.status = 'active' and a.deleted_at is null
    having count(*) = 1)`,
  opportunity: sql`select o.id, o.owner_user_id, o.sector_id, o.campaign_id from opportunity o
    where o.account_id = ${param('account')} and o.contact_id = ${param('contactId')}::uuid
      and o.lost_at is null and o.discarded_at is null order by o.created_at desc, o.id desc limit 1`,
}

// One that was over is open again: with its agent, where that works, else with people.
const reopened = sql`case when c.status <> 'closed' then c.status
  when exists (select from ai_agent a where a.account_id = c.account_id and a.id = c.ai_agent_id
    and a.status = 'active' and a.deleted_at is null) then 'active' else 'manual' end`
const heard = sql`status = ${reopened}, last_message_at = 'infinity',
  last_inbound_at = greatest(c.last_inbound_at, ${param('at')}::timestamptz)`

const ofPerson = new Statement<{ id: string }>(
  sql<{ id: string }>`with first as (select ${FIRST.agent} as agent), about as (${FIRST.opportunity})
    insert into conversation as c (id, account_id, status, channel, channel_account_id, contact_id, ai_agent_id,
      opportunity_id, assigned_user_id, sector_id, campaign_id, last_inbound_at, last_message_at)
    select ${param('id')}::uuid, ${param('account')}::uuid, case when first.agent is null then 'manual' else 'active' end,
      upper(${param('kind')}), ${param('channelAccountId')}::uuid, ${param('contactId')}::uuid, first.agent,
      about.id, about.owner_user_id, about.sector_id, about.campaign_id, ${param('at')}::timestamptz, 'infinity'
    from first left join about on true
    on conflict (account_id, channel_account_id, contact_id)
      where channel_account_id is not null and contact_id is not null and group_id is null
      do update set ${heard}
    returning c.id`,
  { prepared: true },
)

const ofGroup = new Statement<{ id: string }>(
  sql<{
    id: string
  }>`insert into conversation as c (id, account_id, status, channel, channel_account_id, group_id, group_name,
      group_named_at, is_group, last_inbound_at, last_message_at)
    select ${param('id')}::uuid, ${param('account')}::uuid, 'manual', upper(${param('kind')}),
      ${param('channelAccountId')}::uuid, ${param('groupId')}, t.name, case when t.name is not null then t.at end, true, t.at, 'infinity'
    from (select ${param('groupName')}::varchar as name, ${param('at')}::timestamptz as at) t
    on conflict (account_id, channel_account_id, group_id) where group_id is not null
      do update set ${heard}, (group_name, group_named_at) = (
        select case when is_named then excluded.group_name else c.group_name end,
          case when is_named then excluded.group_named_at else c.group_named_at end
        from (select excluded.group_named_at >= coalesce(c.group_named_at, '-infinity')) as n (is_named))
    returning c.id`,
  { prepared: true },
)

// A provider that counts in seconds tells of when the second began. Within it the order is that in which they came, and
// none stands before what was sent to the person meanwhile.
const store = new Statement<never>(
  sql<never>`insert into message (id, account_id, conversation_id, sender_type, content, channel, kind, sent_at,
      author_name, channel_account_id, provider_id, provider_key, refers_to)
    values (${param('id')}, ${param('account')}, ${param('conversationId')}, 'lead', ${param('content')},
      upper(${param('channel')}), ${param('kind')},
      least(date_trunc('milliseconds', clock_timestamp()), case when extract(milliseconds from ${param('at')}::timestamptz)::int % 1000 = 0
        then ${param('at')}::timestamptz + interval '999 milliseconds' else ${param('at')}::timestamptz end),
      ${param('authorName')}, ${param('channelAccountId')}, ${param('providerId')}, ${param('key')}, ${param('refersTo')})`,
  { prepared: true },
)

const KIND_LENGTH = 16
const AUTHOR_LENGTH = 255

/**
 * Records what a person sent, once however often it is told: the conversation, which is opened or is open again, the
 * contact, who may be new, and the message in its place by the time at which it was sent. Tells `messageReceived`.
 * `confirm` is asked once nobody can erase the person any more; what it throws undoes all.
 */
export function recordInbound(
  db: Scope,
  inbound: InboundMessage,
  confirm: () => Promise<void> = async () => {},
): Promise<RecordedMessage> {
  const { channelAccountId, providerId, from, groupId, at } = inbound
  const key = providerKey(db, channelAccountId, providerId)
  return db.transaction(async () => {
    oneAtATime(db, `message ${key.toString('hex')}`)
    const [[known], [channel]] = await Promise.all([
      db.rows(twin, { channelAccountId, key }),
      db.rows(channelOf, { id: channelAccountId }),
    ])
    if (known) return { messageId: known.id, conversationId: known.conversationId, isNew: false }
    if (!channel) throw notFound('channel account')
    const contactId = groupId ? null : await contactOf(db, channel, from)
    await confirm()
    const place = { id: newId(), channelAccountId, kind: channel.kind, at }
    const groupName = inbound.groupName === undefined ? null : groupNameOf(inbound.groupName)
    const [{ id: conversationId }] = groupId
      ? ((await db.rows(ofGroup, { ...place, groupId, groupName })) as [{ id: string }])
      : ((await db.rows(ofPerson, { ...place, contactId })) as [{ id: string }])
    const messageId = newId()
    const authorName = (groupId && from.name?.slice(0, AUTHOR_LENGTH)) || null
    const { content, refersTo = null } = inbound
    const kind = inbound.kind.slice(0, KIND_LENGTH)
    const message = {
      id: messageId,
      conversationId,
      content,
      kind,
      at,
      authorName,
      channelAccountId,
      providerId,
      key,
      refersTo,
    }
    db.send(store, { ...message, channel: channel.kind })
    if (contactId) await noteInteraction(db, contactId, channel.kind)
    db.wrote(messageId)
    await db.announce(messageReceived, { messageId, conversationId, contactId })
    return { messageId, conversationId, isNew: true }
  })
}
