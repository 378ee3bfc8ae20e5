import { sql } from 'kysely'
import { type Database, param, Scope, Statement } from '../../database/index.js'
import { tellChange } from '../../kit/changes.js'
import type { DeletedRecord } from '../../kit/deleted.js'
import { notFound } from '../../shared/errors.js'
import { isUuid, newId } from '../../shared/ids.js'
import { NO_ACCOUNT } from '../../shared/viewer.js'
import { addressKey, unsubscribeToken } from './compose.service.js'
import { contactUnsubscribed } from './mail.facts.js'
import type { SuppressAddressInput } from './mail.inputs.js'
import { suppressionReads } from './mail.reads.js'
import type { MailSuppression } from './suppression.entity.js'

const contactOf = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from contact
    where account_id = ${param('account')} and lower(email) = lower(${param('address')}) for no key update`,
)

// One that is there already is held too, or it could be removed before it is answered. A row that was not there has no xmax.
const put = new Statement<{ id: string; made: boolean }>(
  sql<{ id: string; made: boolean }>`insert into mail_suppression (id, account_id, address_key, contact_id, reason)
    values (${param('id')}, ${param('account')}, ${param('key')}, ${param('contactId')}, ${param('reason')})
    on conflict on constraint mail_suppression_key do update set reason = mail_suppression.reason
    returning id, xmax = 0 as made`,
)

// What is being sent just now can be stopped no more.
const stop = new Statement<never>(
  sql<never>`update mail set status = 'suppressed', due_at = null, error = null
    where account_id = ${param('account')} and address_key = ${param('key')} and status = 'queued'`,
)

/** Has an address get no mail any more, and tells so of the contact who has it; again it changes nothing. */
export function suppressAddress(db: Scope, { address }: SuppressAddressInput): Promise<MailSuppression> {
  return db.transaction(async () => {
    const [contact] = await db.rows(contactOf, { address })
    const id = await store(db, { key: addressKey(db, address), contactId: contact?.id ?? null, reason: 'added' })
    return (await suppressionReads.find(db, id))!
  })
}

type Left = {
  key: Buffer
  contactId: string | null
  reason: 'added' | 'unsubscribed'
}

async function store(db: Scope, left: Left): Promise<string> {
  const { id, made } = (await db.rows(put, { id: newId(), ...left }))[0]!
  await db.rows(stop, left)
  if (!made) return id
  await tellChange(db, 'mail_suppression', id, 'created')
  if (left.contactId) await db.announce(contactUnsubscribed, { contactId: left.contactId })
  return id
}

const remove = new Statement<{ id: string }>(
  sql<{ id: string }>`delete from mail_suppression
    where account_id = ${param('account')} and id = ${param('id')}::uuid returning id`,
)

/** Lets an address get mails again. */
export function removeSuppression(db: Scope, id: string): Promise<DeletedRecord> {
  return db.transaction(async () => {
    const [removed] = isUuid(id) ? await db.rows(remove, { id }) : []
    if (!removed) throw notFound('suppression')
    await tellChange(db, 'mail_suppression', removed.id, 'deleted')
    return { id: removed.id, deleted: true }
  })
}

const mailOf = new Statement<{ accountId: string; key: Buffer; contactId: string | null }>(
  sql<{
    accountId: string
    key: Buffer
    contactId: string | null
  }>`select account_id as "accountId", address_key as key, contact_id as "contactId" from mail
    where id = ${param('id')}::uuid`,
  { ofService: true },
)

const holdContact = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from contact
    where account_id = ${param('account')} and id = ${param('id')}::uuid for no key update`,
)

/** What the reader of a mail may do with the token in it, whoever that is. */
export class Unsubscription {
  constructor(private readonly database: Database) {}

  /** Whether the token is that of a mail. */
  async knows(token: string): Promise<boolean> {
    return (await this.mailOf(token)) !== undefined
  }

  /** Has who got the mail get no other of that account; false when the token is of no mail. Again it changes nothing. */
  async leave(token: string): Promise<boolean> {
    const mail = await this.mailOf(token)
    if (!mail) return false
    const { db, key } = mail
    await db.transaction(async () => {
      const [contact] = mail.contactId ? await db.rows(holdContact, { id: mail.contactId }) : []
      await store(db, { key, contactId: contact?.id ?? null, reason: 'unsubscribed' })
    })
    return true
  }

  private async mailOf(token: string) {
    const id = token.slice(0, token.indexOf('.'))
    if (!isUuid(id)) return undefined
    const [mail] = await Scope.ofSystem(this.database, NO_ACCOUNT).rows(mailOf, { id })
    const db = mail && Scope.ofSystem(this.database, mail.accountId)
    return db && token === unsubscribeToken(db, id.toLowerCase()) ? { ...mail, db } : undefined
  }
}
