import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'

const lock = new Statement<{ id: string; contactId: string; channelAccountId: string | null }>(
  sql<{ id: string; contactId: string; channelAccountId: string | null }>`select id, contact_id as "contactId",
      channel_account_id as "channelAccountId"
    from conversation where account_id = ${param('account')} and contact_id in (${param('fromId')}, ${param('toId')})
    order by id for update`,
)

const hand = new Statement<never>(
  sql<never>`update conversation set contact_id = ${param('toId')}
    where account_id = ${param('account')} and id = ${param('id')}`,
)

// Notes and messages only move; nothing is lost where both had a conversation through the same number.
const merge = new Statement<never>(
  sql<never>`with noted as (
      update conversation_note set conversation_id = ${param('intoId')}
      where account_id = ${param('account')} and conversation_id = ${param('id')}),
    moved as (
      update message set conversation_id = ${param('intoId')}
      where account_id = ${param('account')} and conversation_id = ${param('id')}),
    over as (
      update conversation set status = 'closed' where account_id = ${param('account')} and id = ${param('id')}
      returning last_inbound_at)
    update conversation c set last_inbound_at = greatest(c.last_inbound_at, over.last_inbound_at), last_message_at = 'infinity'
    from over where c.account_id = ${param('account')} and c.id = ${param('intoId')}`,
)

/** Gives the conversations of one contact to another, both of whom are held and turned out to be one person. */
export async function joinConversations(db: Scope, fromId: string, toId: string): Promise<void> {
  const held = await db.rows(lock, { fromId, toId })
  for (const { id, contactId, channelAccountId } of held) {
    if (contactId !== fromId) continue
    const into = held.find((one) => one.contactId === toId && one.channelAccountId === channelAccountId)
    if (into && channelAccountId) await db.rows(merge, { id, intoId: into.id })
    else await db.rows(hand, { id, toId })
  }
}
