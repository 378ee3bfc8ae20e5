import type { Database } from '../../src/database/index.js'
import { Accounts, Keys } from '../../src/domains/accounts/index.js'
import { Contact, ContactNote, ContactTag } from '../../src/domains/contacts/index.js'
import { Tag } from '../../src/domains/reference/index.js'
import { type Client, createClient } from './client.js'

let counter = 0
const next = () => ++counter

/** An account, a key of it and a client that calls with the key. */
export interface Tenant {
  accountId: string
  keyId: string
  key: string
  client: Client
}

/** All that a key can be granted: what wildcards stand for, and what only an admin grants by its name. */
export const EVERYTHING = ['*', 'conversations:write', 'agents:run', 'agent_tools:execute']

/** A new account with a key that may do everything, unless said otherwise. */
export async function makeTenant(
  { database, origin }: { database: Database; origin: string },
  { permissions = EVERYTHING, rateLimit = 1_000_000 }: { permissions?: string[]; rateLimit?: number } = {},
): Promise<Tenant> {
  const { id: accountId } = await new Accounts(database).create({ name: `Account ${next()}` })
  const { key, secret } = await makeKey(database, accountId, { permissions, rateLimit })
  return { accountId, keyId: key.id, key: secret, client: createClient(origin, secret) }
}

/** A further key of an account. */
export function makeKey(
  database: Database,
  accountId: string,
  { permissions = ['*'], rateLimit = 1_000_000 }: { permissions?: string[]; rateLimit?: number } = {},
) {
  return new Keys(database).create({ accountId, name: `Key ${next()}`, permissions, rateLimit })
}

/** A tag of the account. */
export async function makeTag(database: Database, accountId: string, overrides: Partial<Tag> = {}): Promise<Tag> {
  const em = database.fork()
  const tag = em.create(Tag, { name: `Tag ${next()}`, color: '#2563eb', ...overrides, accountId })
  await em.flush()
  return tag
}

/** A contact of the account, straight into the database, with the given tags and notes. */
export async function makeContact(
  database: Database,
  accountId: string,
  { tags = [], notes = [], ...overrides }: Partial<Contact> & { tags?: Tag[]; notes?: string[] } = {},
): Promise<Contact> {
  const em = database.fork()
  const contact = em.create(Contact, { name: `Contact ${next()}`, ...overrides, accountId })
  for (const tag of tags) em.create(ContactTag, { contact, tag: tag.id, accountId })
  for (const note of notes) em.create(ContactNote, { contact, note, accountId })
  await em.flush()
  return contact
}
