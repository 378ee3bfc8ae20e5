import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { newId } from '../../shared/ids.js'
import { contactLock } from '../contacts/index.js'
import { addressKey, type Composition, compose, unsubscribeUrl } from './compose.service.js'
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

const put = new Statement<QueuedMail>(
  sql<QueuedMail>`with is_left as (
      select exists (select from mail_suppression s
        where s.account_id = ${param('account')} and s.address_key = ${param('addressKey')}::bytea) as it)
    insert into mail (id, account_id, contact_id, template_id, sender_id, status, recipient, subject, html, "text",
      address_key, attempts, error, due_at)
    select ${param('id')}::uuid, ${param('account')}::uuid, ${param('contactId')}::uuid, ${param('templateId')}::uuid,
      ${param('senderId')}::uuid,
      case when it then 'suppressed' when ${param('claimed')}::boolean then 'sending' else 'queued' end,
      ${param('recipient')}, ${param('subject')}, ${param('html')}, ${param('text')}, ${param('addressKey')}::bytea,
      case when not it and ${param('claimed')}::boolean then 1 else 0 end, case when it then ${param('left')} end,
      case when it then null else coalesce(${param('dueAt')}::timestamptz, now())
        + case when ${param('claimed')}::boolean then interval '3 minutes' else interval '0' end end
    from is_left returning id, status`,
)

/** Said of a mail that somebody wants no more. */
export const SUPPRESSED = 'The person wants no mail from this account any more.'

/**
 * Stores a mail with the open transaction, or one of its own; the commit puts it into the queue. To who wants no mail
 * none is queued: it is stored as suppressed. What is in the way of a mail is an AppError, see `compose`.
 */
export function queueMail(db: Scope, { dueAt, claimed = false, ...wanted }: WantedMail): Promise<QueuedMail> {
  return db.transaction(async () => {
    contactLock.toChange(db, wanted.contactId)
    const id = newId()
    const mail = await compose(db, wanted, unsubscribeUrl(db, id))
    const key = addressKey(db, mail.recipient)
    const [queued] = await db.rows(put, {
      ...mail,
      id,
      addressKey: key,
      claimed,
      dueAt: dueAt ?? null,
      left: SUPPRESSED,
    })
    db.wrote(id)
    return { id: queued!.id, status: queued!.status as MailStatus }
  })
}
