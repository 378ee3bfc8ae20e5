import { sql } from 'kysely'
import { oneAtATime, param, type Scope, Statement } from '../../database/index.js'
import type { Receipt } from './inbound.types.js'
import { type Incoming, noteIdentity } from './person.service.js'
import { providerKey } from './provider-key.service.js'

const about = new Statement<{ contactId: string | null } & Incoming>(
  sql<{ contactId: string | null } & Incoming>`select c.contact_id as "contactId", a.id, a.kind,
      coalesce(a.portfolio_id, '') as "portfolioId"
    from message m join conversation c on c.account_id = m.account_id and c.id = m.conversation_id
      join channel_account a on a.account_id = m.account_id and a.id = m.channel_account_id
    where m.account_id = ${param('account')} and m.channel_account_id = ${param('channelAccountId')}
      and m.provider_key = ${param('key')}`,
  { prepared: true },
)

/** How far a message has got; what is told late takes nothing back. */
export const PROGRESS = sql`case when t.status = 'read' then 'read'
  when t.status = 'delivered' then case when m.status = 'read' then m.status else 'delivered' end
  when t.status = 'failed' then case when m.status in ('delivered', 'read') then m.status else 'failed' end
  else case when m.status in ('sending', 'unknown') then 'sent' else m.status end end`

const apply = new Statement<{ id: string }>(
  sql<{ id: string }>`update message m set status = ${PROGRESS},
      due_at = case when m.status = 'queued' then m.due_at end,
      delivered_at = case when t.status in ('delivered', 'read') then least(m.delivered_at, t.at) else m.delivered_at end,
      read_at = case when t.status = 'read' then least(m.read_at, t.at) else m.read_at end,
      error = case when t.status = 'failed' and m.status not in ('delivered', 'read') then t.reason
        when t.status = 'failed' then m.error end
    from (select ${param('status')}::text as status, ${param('at')}::timestamptz as at, ${param('reason')}::text as reason) t
    where m.account_id = ${param('account')} and m.channel_account_id = ${param('channelAccountId')}
      and m.provider_key = ${param('key')} and m.sender_type <> 'lead'
    returning m.id`,
  { prepared: true },
)

const keep = new Statement<never>(
  sql<never>`insert into message_receipt (id, account_id, channel_account_id, provider_key, status, at, reason)
    select gen_random_uuid(), ${param('account')}::uuid, a.id, ${param('key')}, ${param('status')}, ${param('at')}::timestamptz,
      ${param('reason')}
    from channel_account a where a.account_id = ${param('account')} and a.id = ${param('channelAccountId')}
    on conflict on constraint message_receipt_key do nothing`,
  { prepared: true },
)

/**
 * Notes what became of a message, however often and in whatever order that is told; of one that nobody knows yet it is kept
 * until it is known which that is.
 */
export function recordReceipt(db: Scope, receipt: Receipt): Promise<void> {
  const { channelAccountId, providerId, status, at, reason, recipient } = receipt
  const key = providerKey(db, channelAccountId, providerId)
  return db.transaction(async () => {
    oneAtATime(db, `message ${key.toString('hex')}`)
    const [found] = await db.rows(about, { channelAccountId, key })
    // Before the message: whoever deletes the contact holds that first.
    if (found?.contactId && recipient?.userId) await noteIdentity(db, found, found.contactId, recipient.userId)
    const told = { channelAccountId, key, status, at, reason: reason ?? 'The provider says that it failed.' }
    if (!found) db.send(keep, told)
    else await db.rows(apply, { ...told, reason: found.contactId ? told.reason : null })
  })
}

const waiting = new Statement<{ status: Receipt['status']; at: Date; reason: string }>(
  sql<{ status: Receipt['status']; at: Date; reason: string }>`delete from message_receipt
    where account_id = ${param('account')} and channel_account_id = ${param('channelAccountId')}
      and provider_key = ${param('key')}
    returning status, at, coalesce(reason, '') as reason`,
  { prepared: true },
)

/** Catches up on what was told of a message before its provider's id was stored, with the transaction that stores it. */
export async function applyWaiting(db: Scope, channelAccountId: string, key: Buffer): Promise<void> {
  for (const told of await db.rows(waiting, { channelAccountId, key })) {
    await db.rows(apply, { ...told, channelAccountId, key })
  }
}
