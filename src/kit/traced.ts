import { type Database, defineNeed, failureCode } from '../database/index.js'
import { during, type Traces } from '../shared/tracing.js'

/** Where is told what requests and jobs do; handed in only where somebody is to be told. */
export const traces = defineNeed<Traces>('traces')

/** For whom background work is done. */
interface ForWhom {
  accountId?: string
  agencyId?: string
}

/** Does a piece of background work; it is a trace of its own, where somebody is told of traces. */
export async function asTrace<T>(
  database: Database,
  name: string,
  { accountId, agencyId }: ForWhom,
  work: () => Promise<T>,
): Promise<T> {
  const attributes = { 'fairlead.operation': name, 'fairlead.account': accountId, 'fairlead.agency': agencyId }
  const span = database.needs.find(traces)?.begin(name, attributes)
  if (!span) return work()
  try {
    const result = await during(span, work)
    span.end()
    return result
  } catch (error) {
    span.end(failureCode(error) ?? (error instanceof Error ? error.name : 'Error'))
    throw error
  }
}
