import { M0001_accounts_and_contacts } from './M0001_accounts_and_contacts.js'
import { M0002_idempotency_and_touches } from './M0002_idempotency_and_touches.js'

/** Every migration, oldest first. */
export const migrations = [M0001_accounts_and_contacts, M0002_idempotency_and_touches].map((migration) => ({
  name: migration.name,
  class: migration,
}))
