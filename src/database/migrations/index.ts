import { M0001_accounts_and_contacts } from './M0001_accounts_and_contacts.js'
import { M0002_idempotency_and_touches } from './M0002_idempotency_and_touches.js'
import { M0003_contact_tally } from './M0003_contact_tally.js'
import { M0004_row_security } from './M0004_row_security.js'
import { M0005_reference_and_users } from './M0005_reference_and_users.js'
import { M0006_pipelines_and_campaigns } from './M0006_pipelines_and_campaigns.js'
import { M0007_opportunities } from './M0007_opportunities.js'
import { M0008_conversations_and_agents } from './M0008_conversations_and_agents.js'
import { M0009_faster_fold } from './M0009_faster_fold.js'
import { M0010_report_tallies } from './M0010_report_tallies.js'
import { M0011_kept_counts_are_no_content } from './M0011_kept_counts_are_no_content.js'
import { M0012_outbox } from './M0012_outbox.js'
import { M0013_read_positions } from './M0013_read_positions.js'
import { M0014_keys_of_calls } from './M0014_keys_of_calls.js'
import { M0015_linkedin_addresses } from './M0015_linkedin_addresses.js'
import { M0016_partly_erased_answers } from './M0016_partly_erased_answers.js'

/** Every migration, oldest first. */
export const migrations = [
  M0001_accounts_and_contacts,
  M0002_idempotency_and_touches,
  M0003_contact_tally,
  M0004_row_security,
  M0005_reference_and_users,
  M0006_pipelines_and_campaigns,
  M0007_opportunities,
  M0008_conversations_and_agents,
  M0009_faster_fold,
  M0010_report_tallies,
  M0011_kept_counts_are_no_content,
  M0012_outbox,
  M0013_read_positions,
  M0014_keys_of_calls,
  M0015_linkedin_addresses,
  M0016_partly_erased_answers,
].map((migration) => ({ name: migration.name, class: migration }))
