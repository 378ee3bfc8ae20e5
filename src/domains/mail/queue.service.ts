import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import { newId } from '../../shared/ids.js'
import { contactLock } from '../contacts/index.js'
import { addressKey, type Composition, type Compositions, composeAll, unsubscribeUrl } from './compose.service.js'
import { MailStatus } from './mail.entity.js'

/** Which mail is wanted, and from when on it may go. */
export interface WantedMail extends Composition {
  /** At once if left out. */
  dueAt?: Date
  /** Whether the caller hands it over itself: then it is claimed as soon as it is stored. */
  claimed?: boolean
}

/** A mail that was stored. */
export interface QueuedMail {
  id: string
  status: MailStatus
}

// To who wants no mail none is queued: it is stored as suppressed.
const put = new Statement<QueuedMail & { contactId: string }>(
  sql<QueuedMail & { contactId: string }>`with wanted as (
      select w.*, decode(w.key, 'hex') as address_key, exists (select from mail_suppression s
        where s.account_id = ${param('account')} and s.address_key = decode(w.key, 'hex')) as is_left
      from jsonb_to_recordset(${param('mails')}::jsonb) as w(id uuid, "contactId" uuid, "templateId" uuid,
        "senderId" uuid, recipient text, subject text, html text, "text" text, key text))
    insert into mail (id, account_id, contact_id, template_id, sender_id, status, recipient, subject, html, "text",
      address_key, attempts, error, due_at)
    select id, ${param('account')}::uuid, "contactId", "templateId", "senderId",
      case when is_left then 'suppressed' when ${param('claimed')}::boolean then 'sending' else 'queued' end,
      recipient, subject, html, "text", address_key,
      case when not is_left and ${param('claimed')}::boolean then 1 else 0 end, case when is_left then ${param('left')} end,
      case when is_left then null else coalesce(${param('dueAt')}::timestamptz, now())
        + case when ${param('claimed')}::boolean then interval '3 minutes' else interval '0' end end
    from wanted returning id, status, contact_id as "contactId"`,
)

/** Said of a mail that somebody wants no more. */
export const SUPPRESSED = 'The person wants no mail from this account any more.'

/** What came of the wish for a mail to a contact. */
export type Queued = ReadonlyMap<string, QueuedMail | AppError>

/**
 * Stores mails to contacts that the open transaction holds; its commit puts them into the queue. What is in the way of one
 * is told in its place, what is in the way of all is an AppError, see `composeAll`.
 */
export async function queueMails(
  db: Scope,
  { dueAt, claimed = false, ...wanted }: Compositions & Pick<WantedMail, 'dueAt' | 'claimed'>,
): Promise<Queued> {
  const ids = new Map(wanted.contactIds.map((contactId) => [contactId, newId()]))
  const composed = await composeAll(db, wanted, (contactId) => unsubscribeUrl(db, ids.get(contactId)!))
  const queued = new Map<string, QueuedMail | AppError>()
  const mails: object[] = []
  for (const [contactId, mail] of composed) {
    if (mail instanceof AppError) queued.set(contactId, mail)
    else mails.push({ ...mail, id: ids.get(contactId), key: addressKey(db, mail.recipient).toString('hex') })
  }
  if (mails.length === 0) return queued
  const values = { mails: JSON.stringify(mails, wellFormed), claimed, dueAt: dueAt ?? null, left: SUPPRESSED }
  for (const { id, status, contactId } of await db.rows(put, values)) {
    db.wrote(id)
    queued.set(contactId, { id, status })
  }
  return queued
}

// Half of a character that was cut is none in JSON.
const wellFormed = (_: string, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value)

/**
 * Stores a mail with the open transaction, or one of its own; the commit puts it into the queue. To who wants no mail
 * none is queued: it is stored as suppressed. What is in the way of a mail is an AppError, see `composeAll`.
 */
export function queueMail(db: Scope, { contactId, ...wanted }: WantedMail): Promise<QueuedMail> {
  return db.transaction(async () => {
    contactLock.toChange(db, contactId)
    const id = contactId.toLowerCase()
    const queued = (await queueMails(db, { ...wanted, contactIds: [id] })).get(id)!
    if (queued instanceof AppError) throw queued
    return queued
  })
}

// What is being sent just now can be stopped no more, and what somebody else holds is either that or stopped already.
const withdraw = new Statement<never>(
  sql<never>`update mail m set status = 'suppressed', due_at = null, error = ${param('reason')}
    from (select id from mail where account_id = ${param('account')} and id = any(${param('ids')}::uuid[])
      and status = 'queued' for no key update skip locked) held
    where m.account_id = ${param('account')} and m.id = held.id`,
)

/** Has mails not go that are still waiting, with the open transaction, and notes why. */
export async function withdrawMails(db: Scope, ids: readonly string[], reason: string): Promise<void> {
  await db.rows(withdraw, { ids, reason })
}
