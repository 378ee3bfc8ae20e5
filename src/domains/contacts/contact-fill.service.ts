import { type RawBuilder, sql } from 'kysely'
import { columnOf, param, RunAgain, type Scope, Statement, violates } from '../../database/index.js'
import { extractedContactsOf } from '../../kit/extracted-contacts.js'
import { fieldsGivenBy } from '../../kit/reads/index.js'
import { Contact, EMAIL_INDEX } from './contact.entity.js'
import { contactChanged } from './contact.facts.js'
import { CreateContactInput } from './contact.inputs.js'
import { countryOf, phoneOf } from './contact-lookup.service.js'

// The texts that a lead may have and a contact may lack; an email needs a look at the other contacts.
const TEXTS = fieldsGivenBy(CreateContactInput, Contact)
  .filter(({ name, type, nullable }) => nullable && type !== 'json' && name !== 'email')
  .map(({ name }) => name)

/** What can be filled in of a contact that exists already. */
export type FillableFields = Partial<Omit<CreateContactInput, 'name' | 'source' | 'tagIds' | 'customFields'>>

/** A column, whether the contact has nothing in it that the caller could add something to, and what it would add. */
interface Gap {
  column: RawBuilder<unknown>
  open: RawBuilder<boolean>
  value: RawBuilder<unknown>
}

// The columns are those of the row as it is when its lock is had, so nothing that another writer has put there is lost.
const gap = (name: string, isEmpty: RawBuilder<unknown>, value: RawBuilder<unknown>, further = sql``): Gap => ({
  column: sql.ref(columnOf(name)),
  open: sql<boolean>`(${isEmpty} and ${value} is not null ${further})`,
  value,
})
const isBlank = (name: string) => sql`coalesce(${sql.ref(`c.${columnOf(name)}`)}, '') = ''`
const text = (name: string) => sql`${param(name)}::text`

const NOTHING_EXTRACTED = JSON.stringify(extractedContactsOf({}))
const gaps: Gap[] = [
  ...TEXTS.map((name) => gap(name, isBlank(name), text(name))),
  gap(
    'email',
    isBlank('email'),
    text('email'),
    sql`and not exists (select from contact o where o.account_id = ${param('account')}
      and lower(o.email) = lower(${text('email')}))`,
  ),
  gap(
    'extractedContacts',
    sql`coalesce(c.extracted_contacts, ${NOTHING_EXTRACTED}::jsonb) = ${NOTHING_EXTRACTED}::jsonb`,
    sql`${param('extractedContacts')}::jsonb`,
    sql`and ${param('extractedContacts')}::jsonb <> ${NOTHING_EXTRACTED}::jsonb`,
  ),
]
const set = gaps.map(({ column, open, value }) => sql`${column} = case when ${open} then ${value} else c.${column} end`)
const anyOpen = sql.join(
  gaps.map(({ open }) => open),
  sql` or `,
)

const fill = new Statement<{ id: string }>(
  sql<{ id: string }>`update contact c set ${sql.join(set)}
    where c.account_id = ${param('account')} and c.id = ${param('id')} and (${anyOpen})
    returning c.id`,
  { prepared: true },
)

/**
 * Puts the given values where the contact has nothing, inside an open transaction: nothing that is there is overwritten,
 * an email that another contact has is left out, and a contact with no gap to fill is not touched.
 */
export async function fillEmptyFields(db: Scope, contactId: string, fields: FillableFields): Promise<void> {
  const { email, phone, extractedContacts } = fields
  const values = {
    ...Object.fromEntries(TEXTS.map((name) => [name, fields[name as keyof FillableFields] || null])),
    email: email || null,
    phone: phone ? phoneOf(phone, await countryOf(db)) : null,
    extractedContacts: extractedContacts ? JSON.stringify(extractedContactsOf(extractedContacts)) : null,
  }
  try {
    const [filled] = await db.rows(fill, { ...values, id: contactId })
    if (filled) await db.announce(contactChanged, { contactId })
  } catch (error) {
    throw violates(error, EMAIL_INDEX) ? new RunAgain('the email was taken meanwhile', { cause: error }) : error
  }
}

const interaction = new Statement<never>(
  sql<never>`update contact c set source_channel = coalesce(${param('channel')}::text, c.source_channel),
      last_interaction = date_trunc('milliseconds', clock_timestamp())
    where c.account_id = ${param('account')} and c.id = ${param('id')}`,
  { prepared: true },
)

/** Notes, inside an open transaction, that something happens with the contact now, through this channel if one is known. */
export async function noteInteraction(db: Scope, contactId: string, channel: string | null): Promise<void> {
  db.send(interaction, { id: contactId, channel })
  await db.announce(contactChanged, { contactId })
}
