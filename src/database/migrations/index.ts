import { M0001_accounts_and_contacts } from './M0001_accounts_and_contacts.js'
import { M0002_idempotency_and_touches } from './M0002_idempotency_and_touches.js'
import { M0003_contact_tally } from './M0003_contact_tally.js'
import { M0004_row_security } from './M0004_row_security.js'

/** Every migration, oldest first. */
export const migrations = [
  M0001_accounts_and_contacts,
  M0002_idempotency_and_touches,
  M0003_contact_tally,
  M0004_row_security,
].map((migration) => ({ name: migration.name, class: migration }))
