import type { EntityManager } from '@mikro-orm/postgresql'
import type { Database } from '../../database/index.js'
import { Accounts, Keys } from '../../domains/accounts/index.js'
import { Contact, ContactNote, ContactTag } from '../../domains/contacts/index.js'
import { Tag } from '../../domains/reference/index.js'
import { contacts, tags } from './data.js'

const RATE_LIMIT = 100_000

/** What `fairlead demo` made. */
export interface Demo {
  account_id: string
  api_key: string
  ids: Record<string, { id: string; name: string }[]>
}

/** Makes the demo account in place of an earlier one, whose key stops working: all of it or nothing. */
export function makeDemo(database: Database): Promise<Demo> {
  return database.fork().transactional(async (em) => {
    const accounts = new Accounts(database)
    await accounts.deleteDemo(em)
    const { id: accountId } = await accounts.create({ name: 'Demo', isDemo: true }, em)
    const key = { accountId, name: 'Demo key', permissions: ['*'], rateLimit: RATE_LIMIT }
    const { secret } = await new Keys(database).create(key, em)
    const made = tags.map((tag) => em.create(Tag, { ...tag, accountId }))
    for (const [index, contact] of contacts.entries()) addContact(em, accountId, made, contact, index)
    await em.flush()
    return { account_id: accountId, api_key: secret, ids: { tags: made.map(({ id, name }) => ({ id, name })) } }
  })
}

function addContact(
  em: EntityManager,
  accountId: string,
  made: readonly Tag[],
  { tagNumbers, notes, daysAgo, ...fields }: (typeof contacts)[number],
  index: number,
): void {
  const day = 86_400_000
  const createdAt = new Date(Date.now() - daysAgo * day - index * 60_000)
  const contact = em.create(Contact, { ...fields, accountId, createdAt })
  for (const number of tagNumbers) em.create(ContactTag, { contact, tag: made[number]!, accountId })
  for (const [i, note] of notes.entries()) {
    em.create(ContactNote, { contact, note, accountId, createdAt: new Date(createdAt.getTime() + (i + 1) * day) })
  }
}
