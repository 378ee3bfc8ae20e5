import type { Database, FactIds, Scope } from '../database/index.js'
import type { Integrations } from './integrations.js'

/** A background job that is due again and again. */
export interface RecurringJob {
  name: string
  /** When, as a cron expression of five fields in UTC. */
  cron: string
  run(database: Database, integrations: Integrations): Promise<void>
}

/** The ids that a job gets, and nothing else: what it needs of the records it reads when it runs, if they are still there. */
export type JobIds = FactIds

/** A background job that is done once, whenever a transaction asks for it. */
export interface OneOffJob<Ids extends JobIds = JobIds> {
  name: string
  /**
   * Does it, as the service itself in the account, without a transaction. It may be called again although it succeeded,
   * when the process dies before that is written down. The signal says that its time is up.
   */
  run(db: Scope, ids: Ids, signal: AbortSignal): Promise<void>
}

/** Defines a job that is done once; it stands in a manifest's `oneOffJobs`, and `enqueue` asks for it. */
export function defineJob<Ids extends JobIds>(name: string, run: OneOffJob<Ids>['run']): OneOffJob<Ids> {
  return { name, run }
}
