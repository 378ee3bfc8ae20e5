import { sql } from 'kysely'
import { oneAtATime, param, type Scope, Statement } from '../../database/index.js'
import { contactLock, createUnmatched, digitsOf, fillEmptyFields, holderOfPhone } from '../contacts/index.js'
import type { Person } from './inbound.types.js'
import { joinConversations } from './join.service.js'

/** A channel account as what comes in needs it. */
export interface Incoming {
  id: string
  kind: string
  portfolioId: string
}

const identity = new Statement<{ contactId: string; phone: string | null }>(
  sql<{ contactId: string; phone: string | null }>`select i.contact_id as "contactId", c.phone from channel_identity i
      join contact c on c.account_id = i.account_id and c.id = i.contact_id
    where i.account_id = ${param('account')} and i.kind = ${param('kind')} and i.portfolio_id = ${param('portfolioId')}
      and i.user_id = ${param('userId')}`,
  { prepared: true },
)

const identify = new Statement<never>(
  sql<never>`insert into channel_identity (id, account_id, contact_id, kind, portfolio_id, user_id)
    values (gen_random_uuid(), ${param('account')}, ${param('contactId')}, ${param('kind')}, ${param('portfolioId')},
      ${param('userId')})
    on conflict on constraint channel_identity_key do update set contact_id = excluded.contact_id
      where channel_identity.contact_id <> excluded.contact_id`,
  { prepared: true },
)

/**
 * The contact who a person is, held until the open transaction ends: by the provider's user id, else by the phone, else a
 * new one. Where both are told, both lead to the same contact from then on. Others that look for the same person wait.
 */
export async function contactOf(db: Scope, channel: Incoming, person: Person): Promise<string> {
  lockPerson(db, channel, person)
  const [known] = person.userId ? await db.rows(identity, { ...channel, userId: person.userId }) : []
  const holder = person.phone ? await holderOfPhone(db, person.phone) : null
  const phone = person.phone && `+${digitsOf(person.phone)}`
  // Who was known by the user id alone turns out to be somebody else's twin.
  const twin = known && !known.phone && holder !== null && holder !== known.contactId ? known.contactId : null
  const found = twin ? holder : (known?.contactId ?? holder)
  const contactId = found ?? (await createUnmatched(db, { name: nameOf(person, phone), phone, source: channel.kind }))
  for (const id of [contactId, ...(twin ? [twin] : [])].toSorted()) contactLock.toChange(db, id)
  if (person.userId) db.send(identify, { ...channel, contactId, userId: person.userId })
  if (twin) await joinConversations(db, twin, contactId)
  else if (phone && known && !known.phone) await fillEmptyFields(db, contactId, { phone })
  return contactId
}

const NAME_LENGTH = 255

function nameOf({ name, userId }: Person, phone: string | undefined): string {
  const named = name?.trim() || phone || userId || 'Unknown'
  return [...named].slice(0, NAME_LENGTH).join('')
}

function lockPerson(db: Scope, { kind, portfolioId }: Incoming, { phone, userId }: Person): void {
  const keys = [phone && `phone ${lastDigits(phone)}`, userId && `user ${kind} ${portfolioId} ${userId}`]
  for (const key of keys.filter(Boolean).toSorted()) oneAtATime(db, `person ${key}`)
}

/** What all ways to tell a number have in common. */
const lastDigits = (phone: string) => digitsOf(phone).slice(-8)

/** Notes who a provider says a contact is, unless that is known of somebody. */
export async function noteIdentity(db: Scope, channel: Incoming, contactId: string, userId: string): Promise<void> {
  lockPerson(db, channel, { userId })
  const [known] = await db.rows(identity, { ...channel, userId })
  if (!known) await db.rows(identify, { ...channel, contactId, userId })
}
