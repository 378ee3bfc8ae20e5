import { randomBytes, randomUUID } from 'node:crypto'
import { type Database, Scope } from '../../../src/database/index.js'
import { EmailSender, EmailTemplate, Mail, MailStatus, MailSuppression } from '../../../src/domains/mail/index.js'
import { makeKey as makeDkim } from '../../../src/domains/mail/sender.service.js'
import { cipher } from '../../../src/kit/cipher.js'

/** A template of the account, straight into the database. */
export async function makeTemplate(database: Database, accountId: string, overrides: Partial<EmailTemplate> = {}) {
  const em = database.fork()
  const fields = { name: 'First contact', subject: 'Hello {{first_name}}', html: '<p>Hello {{first_name}}</p>' }
  const template = em.create(EmailTemplate, { ...fields, ...overrides, accountId })
  await em.flush()
  return template
}

// Making one takes a tenth of a second, and what is tested is not that one differs from another.
const dkim = makeDkim('ana@aurora.example')

/** A sender of the account that is verified unless said otherwise, straight into the database. */
export async function makeSender(database: Database, accountId: string, overrides: Partial<EmailSender> = {}) {
  const em = database.fork()
  const id = randomUUID()
  const { privateKey, ...published } = await dkim
  const dkimPrivateKey = Scope.ofSystem(database, accountId).get(cipher).get().seal(privateKey, id)
  const fields = {
    name: 'Ana',
    address: `ana.${id.slice(0, 8)}@aurora.example`,
    verifiedAt: new Date(),
    dkimPrivateKey,
  }
  const sender = em.create(EmailSender, { ...published, ...fields, ...overrides, id, accountId })
  await em.flush()
  return sender
}

/** A mail to a contact that was sent unless said otherwise, straight into the database. */
export async function makeMail(
  database: Database,
  accountId: string,
  { contactId, ...overrides }: Partial<Mail> & { contactId: string },
) {
  const template = await makeTemplate(database, accountId)
  const sender = await makeSender(database, accountId)
  const em = database.fork()
  const texts = { recipient: 'ana@example.com', subject: 'Hello Ana', html: '<p>Hello Ana</p>', text: 'Hello Ana' }
  const refers = { contactId, templateId: template.id, senderId: sender.id, addressKey: randomBytes(16) }
  const mail = em.create(Mail, { status: MailStatus.SENT, ...texts, ...refers, ...overrides, accountId })
  await em.flush()
  return mail
}

/** That a contact wants no mail, straight into the database. */
export async function makeSuppression(database: Database, accountId: string, contactId: string | null = null) {
  const em = database.fork()
  const fields = { accountId, contactId, addressKey: randomBytes(16), reason: 'unsubscribed' }
  const suppression = em.create(MailSuppression, fields)
  await em.flush()
  return suppression
}
