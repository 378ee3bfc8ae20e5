import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js'
import { param, RunAgain, type Scope, Statement, violates } from '../../database/index.js'
import { AppError, invalid } from '../../shared/errors.js'
import type { Tag } from '../reference/tag.entity.js'
import { type ContactRow, tagJson } from './contact.columns.js'
import { Contact, ContactTag } from './contact.entity.js'
import type { CreateContactInput } from './contact.inputs.js'
import { extractedContactsOf } from './extracted-contacts.js'

const EMAIL_INDEX = 'contact_email_key'

interface Facts {
  country: CountryCode
  /** The contact that has the email already. */
  taken: string | null
  tags: Tag[]
}

/** All that a write must know before it begins, in one statement. */
const facts = new Statement<Facts>(
  sql<Facts>`select a.country,
    (select c.id from contact c where c.account_id = a.id and lower(c.email) = lower(${param('email')})) as taken,
    (select coalesce(json_agg(${tagJson} order by t.name, t.id), '[]') from tag t where t.account_id = a.id and t.id = any(${param('tagIds')}::uuid[])) as tags
    from account a where a.id = ${param('account')}`,
  { prepared: true },
)

/** Creates a contact with its tags; DUPLICATE_ERROR when another contact of the account has its email. */
export async function createContact(db: Scope, input: CreateContactInput): Promise<ContactRow> {
  return db.transaction(async (em) => {
    const { tagIds, extractedContacts, source, ...fields } = input
    const { country, taken, tags } = await readFacts(db, input)
    if (taken) throw duplicate(taken)
    const contact = em.create(Contact, {
      ...fields,
      accountId: db.accountId,
      phone: phoneOf(fields.phone, country),
      source: source ?? 'api',
      extractedContacts: extractedContactsOf(extractedContacts),
    })
    for (const tag of tags) em.create(ContactTag, { contact, tag: tag.id, accountId: db.accountId })
    await flush(em)
    return Object.assign(contact, { tags })
  })
}

async function readFacts(db: Scope, { email, tagIds }: CreateContactInput): Promise<Facts> {
  const wanted = [...new Set(tagIds ?? [])]
  const found = (await db.rows(facts, { account: db.accountId, email: email ?? null, tagIds: wanted }))[0]!
  const known = new Set(found.tags.map((tag) => tag.id))
  const faults = wanted
    .filter((id) => !known.has(id.toLowerCase()))
    .map((id) => ({ path: ['input', 'tagIds', tagIds!.indexOf(id)], message: 'is not the id of a tag' }))
  if (faults.length > 0) throw invalid(faults)
  return found
}

/** The unique index decides between parallel writers; the one that lost looks again, and then sees the winner. */
async function flush(em: EntityManager): Promise<void> {
  try {
    await em.flush()
  } catch (error) {
    throw violates(error, EMAIL_INDEX) ? new RunAgain('the email was taken meanwhile', { cause: error }) : error
  }
}

function duplicate(existingId: string): AppError {
  const message = 'another contact has this email'
  return new AppError('DUPLICATE_ERROR', `A contact with this email exists already.`, {
    faults: [{ path: ['input', 'email'], message, extra: { existingId } }],
  })
}

/** E.164 where the text can be read as a phone number without loss, else the text. */
function phoneOf(text: string | null | undefined, country: CountryCode): string | null {
  if (!text) return null
  const number = parsePhoneNumberFromString(text, country)
  return number?.isPossible() && !number.ext ? number.number : text
}
