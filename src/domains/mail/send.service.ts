import { createPrivateKey, type KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Database, Scope } from '../../database/index.js'
import type { Delivered, Mailer } from '../../integrations/mail/index.js'
import { cipher } from '../../kit/cipher.js'
import { mailer } from '../sessions/index.js'
import { unsubscribeUrl } from './compose.service.js'
import { MailStatus } from './mail.entity.js'
import { SUPPRESSED } from './queue.service.js'
import { domainOf } from './sender.service.js'
import { settlementsOf } from './settle.service.js'

/** A mail that this process has claimed, with all that it takes to hand it over. */
export interface ClaimedMail {
  id: string
  accountId: string
  attempts: number
  recipient: string
  subject: string
  html: string
  text: string
  senderId: string
  senderName: string
  senderAddress: string
  selector: string
  privateKey: Buffer
  /** Whether it may still be sent: the sender is there, verified and paid for, and the account lives. */
  maySend: boolean
  left: boolean
}

/** How long whoever has claimed a mail may take, in milliseconds: longer than any mailer does. */
export const LEASE_MS = 180_000

const MAY_SEND = `s.verified_at is not null and s.deleted_at is null
  and (select count(*) from email_sender o where o.account_id = s.account_id and o.deleted_at is null and o.id <= s.id)
    <= coalesce(email_sender_limit(s.account_id), 2147483647)`

const COLUMNS = `m.id, m.account_id as "accountId", m.attempts, m.recipient, m.subject, m.html, m."text",
    s.id as "senderId", s.name as "senderName", s.address as "senderAddress", s.dkim_selector as selector,
    s.dkim_private_key as "privateKey", ${MAY_SEND} as "maySend",
    exists (select from mail_suppression l where l.account_id = m.account_id and l.address_key = m.address_key) as "left"`

const CLAIM = `with due as (
    select id from mail where status = 'queued' and due_at <= now() order by due_at limit $1 for update skip locked)
  update mail m set status = 'sending', attempts = m.attempts + 1, due_at = now() + $2::float8 * interval '1 millisecond'
  from due, email_sender s
  where m.id = due.id and s.account_id = m.account_id and s.id = m.sender_id
  returning ${COLUMNS}`

const READ = `select ${COLUMNS} from mail m join email_sender s on s.account_id = m.account_id and s.id = m.sender_id
  where m.account_id = $1 and m.id = $2 and m.status = 'sending'`

/** Claims at most so many mails that are due: from then on each is sent once, by this process, or never. */
export async function claimMails(database: Database, limit: number): Promise<ClaimedMail[]> {
  return (await database.pool.query<ClaimedMail>(CLAIM, [limit, LEASE_MS])).rows
}

/** A mail that was stored as claimed. */
export async function claimedMail(database: Database, accountId: string, id: string): Promise<ClaimedMail | undefined> {
  return (await database.pool.query<ClaimedMail>(READ, [accountId, id])).rows[0]
}

const RELEASE = `update mail set status = 'queued', attempts = attempts - 1, due_at = now()
  where id = any($1) and status = 'sending'`

/** Puts claimed mails back that were surely not handed over. */
export async function releaseMails({ pool }: Database, mails: readonly ClaimedMail[]): Promise<void> {
  if (mails.length > 0) await pool.query(RELEASE, [mails.map(({ id }) => id)])
}

const ABANDON = `with held as (
    select id from mail where status = 'sending' and due_at <= now() order by id for no key update skip locked)
  update mail m set status = 'unknown', due_at = null,
    error = case when contact_id is not null then 'The process that was sending it has died: it may have been sent.' end
  from held where m.id = held.id`

/** Notes of mails whose process died while it sent them that nobody knows what became of them. */
export async function giveUpAbandoned({ pool }: Database): Promise<number> {
  return (await pool.query(ABANDON)).rowCount ?? 0
}

/** What a mail has come to. */
export interface Settled {
  status: MailStatus
  error: string | null
}

/** How often a server is asked, a minute after the first time and twice as long each time after, a day in all. */
const MAX_ATTEMPTS = 11
const FIRST_PAUSE_SECONDS = 60

/** Hands a claimed mail over and stores what became of it; what may pass is tried again unless `once`. */
export async function sendClaimed(database: Database, mail: ClaimedMail, { once = false } = {}): Promise<Settled> {
  const settled = await attempt(database, mail)
  const again = settled.again && !once && mail.attempts < MAX_ATTEMPTS
  const status = settled.again ? (again ? MailStatus.QUEUED : MailStatus.FAILED) : settled.status
  const pause = again ? FIRST_PAUSE_SECONDS * 2 ** (mail.attempts - 1) * (0.5 + Math.random() / 2) : null
  const { id, attempts } = mail
  await settlementsOf(database).store({ id, status, error: settled.error, pause, attempts })
  return { status, error: settled.error }
}

async function attempt(database: Database, mail: ClaimedMail): Promise<Settled & { again?: boolean }> {
  if (mail.left) return { status: MailStatus.SUPPRESSED, error: SUPPRESSED }
  if (!mail.maySend) {
    const error = `The email sender ${mail.senderAddress} may not send any more.`
    return { status: MailStatus.FAILED, error }
  }
  const delivered = await handOver(database, database.needs.get(mailer), mail)
  switch (delivered.outcome) {
    case 'accepted':
      return { status: MailStatus.SENT, error: null }
    case 'refused':
      return { status: MailStatus.FAILED, error: `The mail server refused it: ${short(delivered.reason)}` }
    case 'later':
      return {
        status: MailStatus.QUEUED,
        error: `The mail server did not take it: ${short(delivered.reason)}`,
        again: true,
      }
    default:
      return { status: MailStatus.UNKNOWN, error: `It may have been sent: ${short(delivered.reason)}` }
  }
}

const short = (text: string) => text.replace(/\s+/g, ' ').slice(0, 500)

async function handOver(database: Database, sending: Mailer, mail: ClaimedMail): Promise<Delivered> {
  const db = Scope.ofSystem(database, mail.accountId)
  const { id, recipient: to, subject, text, html, senderName, senderAddress, senderId, selector, privateKey } = mail
  const dkim = {
    domain: domainOf(senderAddress),
    selector,
    privateKey: signingKey(db, senderId, privateKey),
  }
  const from = { name: senderName, address: senderAddress }
  return sending.send({ to, subject, text, html, from, id, dkim, unsubscribeUrl: unsubscribeUrl(db, id) })
}

// A sender's mails come many at a time; the nonce that a sealed key begins with tells it from any other.
const signingKeys = new LRUCache<string, KeyObject>({ max: 200, ttl: 60_000 })

function signingKey(db: Scope, senderId: string, sealed: Buffer): KeyObject {
  const name = senderId + sealed.toString('latin1', 0, 28)
  const known = signingKeys.get(name)
  if (known) return known
  const key = createPrivateKey(db.get(cipher).get().open(sealed, senderId))
  signingKeys.set(name, key)
  return key
}

/** Hands over a mail that was stored as claimed, once. */
export async function sendStored(database: Database, accountId: string, id: string): Promise<Settled> {
  const mail = await claimedMail(database, accountId, id)
  if (!mail) return { status: MailStatus.FAILED, error: 'The contact was deleted meanwhile.' }
  return sendClaimed(database, mail, { once: true })
}
