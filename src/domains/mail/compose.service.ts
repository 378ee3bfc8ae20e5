import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import { isUuid, NIL_ID } from '../../shared/ids.js'
import { seesContact } from '../contacts/index.js'
import { sessionSettings } from '../sessions/index.js'
import { type Rendered, render, variablesOf } from './render.service.js'

/** What makes a mail. */
export interface Composition {
  templateId: string
  /** The account's default if left out. */
  senderId?: string | null
  contactId: string
}

/** A mail that could be sent. */
export interface Composed extends Rendered {
  contactId: string
  senderId: string
  templateId: string
  recipient: string
}

interface Person {
  id: string
  name: string
  email: string | null
  phone: string | null
  company: string | null
  title: string | null
  location: string | null
  custom: Record<string, unknown> | null
}

interface Found {
  template: { id: string; subject: string; html: string; text: string | null } | null
  sender: { id: string; name: string; address: string; verified: boolean; paid: boolean } | null
  contacts: Person[]
  account: string
}

// Of a sub-account's senders only as many may send as its agency has paid for, the oldest.
const find = new Statement<Found>(
  sql<Found>`select
    (select jsonb_build_object('id', t.id, 'subject', t.subject, 'html', t.html, 'text', t."text") from email_template t
      where t.account_id = ${param('account')} and t.id = ${param('templateId')}::uuid and t.deleted_at is null) as template,
    (select jsonb_build_object('id', s.id, 'name', s.name, 'address', s.address, 'verified', s.verified_at is not null,
        'paid', (select count(*) from email_sender o where o.account_id = s.account_id and o.deleted_at is null
          and o.id <= s.id) <= coalesce(email_sender_limit(s.account_id), 2147483647))
      from email_sender s where s.account_id = ${param('account')} and s.deleted_at is null
        and case when ${param('senderId')}::uuid is null then s.is_default else s.id = ${param('senderId')}::uuid end) as sender,
    (select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'name', c.name, 'email', c.email, 'phone', c.phone,
        'company', c.company, 'title', c.title, 'location', c.location, 'custom', c.custom_fields)), '[]') from contact c
      where c.account_id = ${param('account')} and c.id = any(${param('contactIds')}::uuid[])) as contacts,
    (select a.name from account a where a.id = ${param('account')}) as account`,
)

const refused = (message: string) => new AppError('VALIDATION_ERROR', message)

const NOTHING = { template: 'email template', sender: 'email sender', contact: 'contact' }
const absent = (what: keyof typeof NOTHING) => refused(`There is no such ${NOTHING[what]} in this account.`)

/** Whom a mail is for, by ids, and with what it is made. */
export interface Compositions extends Omit<Composition, 'contactId'> {
  contactIds: readonly string[]
}

type Known = Found & { template: NonNullable<Found['template']> }

async function look(db: Scope, { templateId, senderId = null, contactIds }: Compositions): Promise<Known> {
  const id = (given: string | null) => (given && isUuid(given) ? given : null)
  if (senderId && !id(senderId)) throw absent('sender')
  const values = { templateId: id(templateId), senderId, contactIds: contactIds.filter(isUuid) }
  const { template, ...rest } = (await db.rows(find, values))[0]!
  if (!template) throw absent('template')
  return { ...rest, template }
}

/** How many mails are made before others get their turn: each takes a fourth of a millisecond. */
const AT_A_STRETCH = 10

/** A mail to be composed: whose, and the address at which its reader leaves. */
type UrlOf = (contactId: string) => string

/**
 * Fills a template for contacts. What is in the way of all mails is an AppError with a sentence of its own: a template or
 * sender that the account does not have, a sender that may not send. What is in the way of one stands in its place: a
 * contact that the account does not have, or one without email.
 */
export async function composeAll(
  db: Scope,
  wanted: Compositions,
  urlOf: UrlOf,
): Promise<ReadonlyMap<string, Composed | AppError>> {
  const found = await look(db, wanted)
  const { template, sender, contacts } = found
  const people = new Map(contacts.map((person) => [person.id, person]))
  const made = new Map<string, Composed | AppError>()
  for (const [i, contactId] of wanted.contactIds.entries()) {
    if (i % AT_A_STRETCH === AT_A_STRETCH - 1) await turn()
    const contact = people.get(contactId.toLowerCase())
    if (!contact || !(await seesContact(db, contact.id))) made.set(contactId, absent('contact'))
    else if (!contact.email) made.set(contactId, refused('The contact has no email address.'))
    else {
      const { id: senderId } = requireSender(sender, wanted.senderId)
      const ids = { contactId: contact.id, senderId, templateId: template.id, recipient: contact.email }
      made.set(contactId, filled(found, contact, urlOf(contactId), ids))
    }
  }
  return made
}

function requireSender(sender: Found['sender'], named: string | null | undefined): NonNullable<Found['sender']> {
  if (!sender) {
    if (named) throw absent('sender')
    throw refused('The account has no default email sender: name one, or make one the default.')
  }
  if (!sender.verified) {
    throw refused(`The email sender ${sender.address} is not verified: make its DNS record, then verify it.`)
  }
  if (!sender.paid) throw refused(`The account's seats of email_marketing do not cover the sender ${sender.address}.`)
  return sender
}

function filled(found: Known, contact: Person, url: string, ids: Omit<Composed, keyof Rendered>): Composed | AppError {
  try {
    return { ...ids, ...fill(found, contact, url) }
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

const SOMEBODY: Person = {
  id: NIL_ID,
  name: 'Ana Example',
  email: 'ana@example.com',
  phone: '+5511987654321',
  company: 'Example Ltd',
  title: 'Head of Sales',
  location: 'São Paulo',
  custom: null,
}

/** What a template becomes for a contact, or for a made-up person, whether or not it could be sent. */
export async function preview(db: Scope, templateId: string, contactId?: string | null): Promise<Rendered> {
  const found = await look(db, { templateId, contactIds: contactId ? [contactId] : [] })
  const [contact] = contactId ? found.contacts : [SOMEBODY]
  if (!contact || (contactId && !(await seesContact(db, contact.id)))) throw absent('contact')
  return fill(found, contact, `${db.get(sessionSettings).publicUrl}/unsubscribe/preview`)
}

function fill({ template, sender, account }: Known, contact: Person, url: string): Rendered {
  const { name, email, phone, company, title, location, custom } = contact
  const texts = { email, phone, company, title, location, sender_name: sender?.name, sender_email: sender?.address }
  const known = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, text ?? '']))
  const values = { name, first_name: name.split(/\s+/)[0]!, account_name: account, unsubscribe_url: url }
  try {
    return render(template, variablesOf({ ...(known as Record<keyof typeof texts, string>), ...values }, custom ?? {}))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw refused('With what is known of the contact the mail becomes too long.')
  }
}

/** The address at which a mail's reader leaves; it tells nothing and can be made by the service alone. */
export function unsubscribeUrl(db: Scope, mailId: string): string {
  return `${db.get(sessionSettings).publicUrl}/unsubscribe/${unsubscribeToken(db, mailId)}`
}

/** The token in it: the mail's id with a signature. */
export function unsubscribeToken(db: Scope, mailId: string): string {
  return `${mailId}.${db.sign('unsubscribe', mailId).toString('base64url')}`
}

/** What stands for an address where the address itself must not stay: the same however it is spelled. */
export function addressKey(db: Scope, address: string): Buffer {
  return db.sign('mail address', address.trim().toLowerCase())
}
