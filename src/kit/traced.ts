import { type Database, defineNeed, failureCode } from '../database/index.js'
import { during, type Traces } from '../shared/tracing.js'

/** Where is told what requests and jobs do; handed in only where somebody is to be told. */
export const traces = defineNeed<Traces>('traces')

/** For whom background work is done. */
interface ForWhom {
  accountId?: string
  agencyId?: string
}

/** Does a piece of background work: the figures have it by its name, and it is a trace of its own where somebody is told. */
export async function asTrace<T>(
  database: Database,
  name: string,
  { accountId, agencyId }: ForWhom,
  work: () => Promise<T>,
): Promise<T> {
  const attributes = { 'fairlead.operation': name, 'fairlead.account': accountId, 'fairlead.agency': agencyId }
  const span = database.needs.find(traces)?.begin(name, attributes)
  const begin = performance.now()
  const end = (failure?: string) => {
    database.figures.worked(name, (performance.now() - begin) / 1000, failure !== undefined)
    span?.end(failure)
  }
  try {
    const result = await (span ? during(span, work) : work())
    end()
    return result
  } catch (error) {
    end(failureCode(error) ?? (error instanceof Error ? error.name : 'Error'))
    throw error
  }
}
