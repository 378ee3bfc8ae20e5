import { generateKeyPair, randomInt } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { oneAtATime, param, rowLock, type Scope, Statement } from '../../database/index.js'
import { tellChange, tellUpdate } from '../../kit/changes.js'
import { cipher } from '../../kit/cipher.js'
import type { DeletedRecord } from '../../kit/deleted.js'
import { holderOf } from '../../kit/hold.js'
import { AppError, errorKinds, invalid, notFound } from '../../shared/errors.js'
import { given } from '../../shared/given.js'
import { newId } from '../../shared/ids.js'
import type { CreateEmailSenderInput, UpdateEmailSenderInput } from './mail.inputs.js'
import { senderReads } from './mail.reads.js'
import { domainKeys } from './needs.service.js'
import { EmailSender } from './sender.entity.js'

/** Why a sender cannot be made, or not be verified yet. */
export const SENDER_ERRORS = errorKinds({
  SENDER_LIMIT: {
    status: 409,
    meaning: 'The account has as many senders as its agency has given it seats of email_marketing.',
    remedy: 'Delete a sender, or have the agency raise the seats.',
  },
  DNS_RECORD_MISSING: {
    status: 409,
    meaning: "The record with the sender's key is not found in the DNS of its domain.",
    remedy: 'Make the record that the sender shows, and try again; what changes there may take hours to be seen.',
  },
})

const generate = promisify(generateKeyPair)

/** A new key, and what is published of it. */
export async function makeKey(address: string) {
  const { publicKey, privateKey } = await generate('rsa', { modulusLength: 2048 })
  const selector = `fl${Array.from({ length: 8 }, () => randomInt(36).toString(36)).join('')}`
  const value = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    dkimSelector: selector,
    dnsName: `${selector}._domainkey.${domainOf(address)}`,
    dnsValue: `v=DKIM1; k=rsa; p=${value}`,
  }
}

/** The domain of an address, as the DNS has it. */
export const domainOf = (address: string): string => domainToASCII(address.slice(address.lastIndexOf('@') + 1))

interface Standing {
  count: number
  limit: number | null
  twin: string | null
}

const standing = new Statement<Standing>(
  sql<Standing>`select count(*)::int as count, email_sender_limit(${param('account')}) as "limit",
      (min(id::text) filter (where lower(address) = lower(${param('address')}))) as twin
    from email_sender where account_id = ${param('account')} and deleted_at is null`,
)

/**
 * Creates a sender with a key of its own; DUPLICATE_ERROR when the account has one of this address, SENDER_LIMIT when a
 * sub-account has none left.
 */
export async function createSender(db: Scope, { name, address }: CreateEmailSenderInput): Promise<EmailSender> {
  if (!domainOf(address)) throw invalid([{ path: ['input', 'address'], message: 'must be at a domain of the DNS' }])
  const { privateKey, ...published } = await makeKey(address)
  return db.unitOfWork(async (em) => {
    oneAtATime(db, 'email_sender')
    const { count, limit, twin } = (await db.rows(standing, { address }))[0]!
    if (twin) throw duplicate(twin)
    if (limit !== null && count >= limit) {
      throw new AppError(SENDER_ERRORS.SENDER_LIMIT, `This account may have ${limit} email senders, and has ${count}.`)
    }
    const id = newId()
    const dkimPrivateKey = db.get(cipher).get().seal(privateKey, id)
    const fields = { ...published, id, name, address, dkimPrivateKey, isDefault: count === 0 }
    em.create(EmailSender, { ...fields, accountId: db.accountId })
    await em.flush()
    await tellChange(db, 'email_sender', id, 'created')
    return stored(db, id)
  })
}

/** Changes the given fields of a sender. */
export function updateSender(db: Scope, id: string, input: UpdateEmailSenderInput): Promise<EmailSender> {
  return db.unitOfWork(async (em) => {
    const sender = await hold(em, db, id)
    Object.assign(sender, given(input))
    await tellUpdate(db, em, 'email_sender', sender)
    await em.flush()
    return stored(db, sender.id)
  })
}

/** Has mails come from this sender where no other is named. */
export function makeDefaultSender(db: Scope, id: string): Promise<EmailSender> {
  return db.unitOfWork(async (em) => {
    oneAtATime(db, 'email_sender')
    const sender = await hold(em, db, id)
    if (!sender.isDefault) {
      const others = { accountId: db.accountId, isDefault: true, deletedAt: null }
      await em.nativeUpdate(EmailSender, others, { isDefault: false })
      sender.isDefault = true
      await tellUpdate(db, em, 'email_sender', sender)
      await em.flush()
    }
    return stored(db, sender.id)
  })
}

/** Looks for the sender's DNS record, and notes that it is there; DNS_RECORD_MISSING when it is not. */
export async function verifySender(db: Scope, id: string): Promise<EmailSender> {
  const { dnsName, dnsValue } = await found(db, id)
  const published = await db.get(domainKeys).look(dnsName, dnsValue.slice(dnsValue.indexOf('p=') + 2))
  if (published !== 'published') {
    const reasons = {
      other: `The DNS record ${dnsName} holds another key.`,
      missing: `There is no DNS record ${dnsName}.`,
      unknown: `The name servers of ${dnsName} gave no answer.`,
    }
    throw new AppError(SENDER_ERRORS.DNS_RECORD_MISSING, reasons[published])
  }
  return db.unitOfWork(async (em) => {
    const sender = await hold(em, db, id)
    sender.verifiedAt = new Date()
    await tellUpdate(db, em, 'email_sender', sender)
    await em.flush()
    return stored(db, sender.id)
  })
}

/** Deletes a sender: it sends no longer, not even what is queued, and its key is gone. */
export function deleteSender(db: Scope, id: string): Promise<DeletedRecord> {
  return db.unitOfWork(async (em) => {
    const sender = await hold(em, db, id)
    Object.assign(sender, { deletedAt: new Date(), isDefault: false, dkimPrivateKey: Buffer.alloc(0) })
    await tellChange(db, 'email_sender', sender.id, 'deleted')
    return { id: sender.id, deleted: true }
  })
}

const hold = holderOf({
  entity: EmailSender,
  lock: rowLock('email_sender'),
  what: 'email sender',
  live: { deletedAt: null },
})

async function found(db: Scope, id: string): Promise<EmailSender> {
  const sender = await senderReads.find(db, id)
  if (!sender) throw notFound('email sender')
  return sender
}

const stored = async (db: Scope, id: string): Promise<EmailSender> => (await senderReads.find(db, id))!

const duplicate = (existingId: string) =>
  new AppError('DUPLICATE_ERROR', 'A sender with this address exists already.', {
    faults: [{ path: ['input', 'address'], message: 'another sender has this address', extra: { existingId } }],
  })
