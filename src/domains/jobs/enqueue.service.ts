import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import type { JobIds, OneOffJob } from '../../kit/job.js'
import { isUuid, newId } from '../../shared/ids.js'

const store = new Statement<never>(
  sql<never>`insert into job (id, account_id, name, ids, due_at)
    values (${param('id')}, ${param('account')}, ${param('name')}, ${param('ids')}::jsonb,
      now() + make_interval(secs => ${param('afterSeconds')}::float8))`,
  { prepared: true },
)

/**
 * Asks for a job with the open transaction, whose commit is what makes it happen: soon, or after so many seconds. Costs no
 * trip to the database of its own. The ids must be uuids or null, so that nothing personal can be among them.
 */
export function enqueue<Ids extends JobIds>(
  db: Scope,
  { name }: Pick<OneOffJob<Ids>, 'name'>,
  ids: NoInfer<Ids>,
  { id = newId(), afterSeconds = 0 } = {},
): void {
  const wrong = Object.keys(ids).find((key) => ids[key] !== null && !isUuid(ids[key]!))
  if (wrong) throw new Error(`the job ${name} takes ids alone, and ${wrong} is none`)
  db.send(store, { id, name, ids: JSON.stringify(ids), afterSeconds }, { wakes: true })
}
