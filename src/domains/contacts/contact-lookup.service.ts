import { sql } from 'kysely'
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js'
import { param, type Scope, Statement } from '../../database/index.js'
import { namedList } from '../../kit/reads/index.js'
import { AppError, invalid } from '../../shared/errors.js'
import { Tag } from '../reference/tag.entity.js'
import { seesContact } from './contact-own.service.js'

interface Found {
  country: CountryCode
  /** The contact that has the email already. */
  taken: string | null
  tags: Tag[]
}

/** What a write must know before it begins, in one statement. */
const lookup = new Statement<Found>(
  sql<Found>`select a.country,
    (select c.id from contact c where c.account_id = a.id and lower(c.email) = lower(${param('email')})) as taken,
    (select ${namedList(Tag, 't')} from tag t where t.account_id = a.id
      and t.id = any(${param('tagIds')}::uuid[])) as tags
    from account a where a.id = ${param('account')}`,
  { prepared: true },
)

const hold = new Statement<never>(
  sql<never>`select from tag where account_id = ${param('account')} and id = any(${param('tagIds')}::uuid[])
    order by id for key share`,
  { prepared: true },
)

/**
 * Keeps tags that are to be given from being deleted until the transaction ends. Who deletes a tag holds it before the
 * contacts that carry it, so this comes before any contact, be it one that is only to take an email.
 */
export function holdTags(db: Scope, tagIds: readonly string[] | null | undefined): void {
  if (tagIds && tagIds.length > 0) db.send(hold, { tagIds })
}

const country = new Statement<{ country: CountryCode }>(
  sql<{ country: CountryCode }>`select country from account where id = ${param('account')}`,
  { prepared: true },
)

/** The country whose phone numbers need no country code. */
export async function countryOf(db: Scope): Promise<CountryCode> {
  return (await db.rows(country, {}))[0]!.country
}

interface Asked {
  email?: string | null
  tagIds?: string[] | null
}

/** Looks up what the write refers to; a tag that the account does not have is a VALIDATION_ERROR. */
export async function lookUp(db: Scope, { email, tagIds }: Asked): Promise<Found> {
  const wanted = tagIds ?? []
  const found = (await db.rows(lookup, { email: email ?? null, tagIds: wanted }))[0]!
  const known = new Set(found.tags.map((tag) => tag.id))
  const faults = wanted.flatMap((id, i) =>
    known.has(id.toLowerCase()) ? [] : [{ path: ['input', 'tagIds', i], message: 'is not the id of a tag' }],
  )
  if (faults.length > 0) throw invalid(faults)
  return found
}

/** DUPLICATE_ERROR that names the contact which has the email, unless the viewer may not know of it. */
export async function duplicateEmail(db: Scope, existingId: string): Promise<AppError> {
  return emailTaken((await seesContact(db, existingId)) ? existingId : undefined)
}

/** The same where it is not known whose the email is, or not to be told. */
export function emailTaken(existingId?: string): AppError {
  const fault = { path: ['input', 'email'], message: 'another contact has this email' }
  return new AppError('DUPLICATE_ERROR', 'A contact with this email exists already.', {
    faults: [existingId === undefined ? fault : { ...fault, extra: { existingId } }],
  })
}

/** E.164 where the text can be read as a phone number without loss, else the text. */
export function phoneOf(text: string | null | undefined, country: CountryCode): string | null {
  if (!text) return null
  const number = parsePhoneNumberFromString(text, country)
  return number?.isPossible() && !number.ext ? number.number : text
}
