import type { Database } from '../database/index.js'
import type { Integrations } from './integrations.js'

/** A background job that is due again and again. */
export interface RecurringJob {
  name: string
  /** When, as a cron expression of five fields in UTC. */
  cron: string
  run(database: Database, integrations: Integrations): Promise<void>
}
