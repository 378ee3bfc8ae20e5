import type { Database } from '../../../src/database/index.js'
import { User } from '../../../src/domains/users/index.js'
import { newId } from '../../../src/shared/ids.js'

/** A user of the account: an active seller with an email of its own unless said otherwise. */
export async function makeUser(database: Database, accountId: string, overrides: Partial<User> = {}): Promise<User> {
  const em = database.fork()
  const id = overrides.id ?? newId()
  const user = em.create(User, { name: `User ${id}`, email: `${id}@example.com`, ...overrides, id, accountId })
  await em.flush()
  return user
}
