import { sql } from 'kysely'
import { columnOf, param, RunAgain, type Scope, Statement } from '../../database/index.js'
import { extractedContactsOf } from '../../kit/extracted-contacts.js'
import { AppError } from '../../shared/errors.js'
import { newId } from '../../shared/ids.js'
import type { Tag } from '../reference/tag.entity.js'
import { type ContactRow, tagsJson } from './contact.columns.js'
import type { CreateContactInput } from './contact.inputs.js'
import { countryOf, duplicateEmail, lookUp, phoneOf } from './contact.lookup.service.js'

const TEXTS = [
  'name',
  'email',
  'phone',
  'company',
  'title',
  'location',
  'linkedinProfileUrl',
  'headline',
  'about',
  'profilePicture',
  'source',
] as const satisfies readonly (keyof CreateContactInput)[]
const OBJECTS = ['extractedContacts', 'customFields'] as const satisfies readonly (keyof CreateContactInput)[]

interface Created {
  createdAt: Date
  updatedAt: Date
  tags: Tag[]
}

const names = sql.join([...TEXTS, ...OBJECTS].map((name) => sql.ref(columnOf(name))))
const values = sql.join([...TEXTS.map((name) => param(name)), ...OBJECTS.map((name) => sql`${param(name)}::jsonb`)])

/**
 * The contact and its tags in one statement, where the unit of work takes two and a look before them: creating is what
 * integrators do most. No row means that the email is taken.
 */
const insert = new Statement<Created>(
  sql<Created>`with created as (
      insert into contact (id, account_id, ${names}) values (${param('id')}, ${param('account')}, ${values})
      on conflict (account_id, lower(email)) do nothing
      returning id, created_at, updated_at),
    tagged as (
      insert into contact_tag (account_id, contact_id, tag_id)
      select ${param('account')}, created.id, t.id from created, tag t
      where t.account_id = ${param('account')} and t.id = any(${param('tagIds')}::uuid[])
      returning tag_id)
    select created_at as "createdAt", updated_at as "updatedAt", (
      select ${tagsJson}
      from tag t where t.account_id = ${param('account')} and t.id in (select tag_id from tagged)) as tags
    from created`,
  { prepared: true },
)

/** Creates a contact with its tags; DUPLICATE_ERROR when another contact of the account has its email. */
export function createContact(db: Scope, input: CreateContactInput): Promise<ContactRow> {
  return db.transaction(async () => {
    const { tagIds, customFields, ...fields } = input
    const tags = new Set((tagIds ?? []).map((id) => id.toLowerCase()))
    const id = newId()
    const contact = {
      ...Object.fromEntries(TEXTS.map((name) => [name, fields[name] ?? null])),
      id,
      phone: fields.phone ? phoneOf(fields.phone, await countryOf(db)) : null,
      source: fields.source ?? 'api',
      extractedContacts: extractedContactsOf(input.extractedContacts),
      customFields: customFields ?? null,
    }
    const [created] = await db.rows(insert, { ...contact, ...objects(contact), tagIds: [...tags] })
    if (!created || created.tags.length < tags.size) return explain(db, input)
    db.wrote(id)
    return { ...contact, ...created, sourceChannel: null, lastInteraction: null }
  })
}

/** Objects as the text that the statement casts. */
function objects(contact: { [Name in (typeof OBJECTS)[number]]: object | null }) {
  return Object.fromEntries(OBJECTS.map((name) => [name, contact[name] && JSON.stringify(contact[name])]))
}

/**
 * Creates the contact of a person who was looked for and not found, inside an open transaction, and returns its id. One
 * with this email that appears at this moment is the one that was looked for: the transaction runs again.
 */
export async function createUnmatched(db: Scope, input: CreateContactInput): Promise<string> {
  try {
    return (await createContact(db, input)).id
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'DUPLICATE_ERROR') throw error
    throw new RunAgain('the contact was created meanwhile', { cause: error })
  }
}

/** Throws the reason for which a contact could not be created as asked. */
async function explain(db: Scope, input: CreateContactInput): Promise<never> {
  const { taken } = await lookUp(db, input)
  if (taken) throw duplicateEmail(taken)
  throw new RunAgain('what was in the way is gone')
}
