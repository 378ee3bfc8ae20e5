import { M0001_accounts_and_contacts } from './M0001_accounts_and_contacts.js'

/** Every migration, oldest first. */
export const migrations = [M0001_accounts_and_contacts].map((migration) => ({
  name: migration.name,
  class: migration,
}))
