import { type Database, Scope } from '../../database/index.js'
import { AgencyBusy, inTurn, type Turn, type TurnPace } from './turn.service.js'

const AT_ONCE = 4

/** What of the provider's answer says whether people must look at it. */
export interface Answer {
  outcome?: string
  reason?: string
  ourFault?: boolean
}

/** Which agencies there is something to do for: a statement that finds their ids, with its values. */
interface Due {
  find: string
  values?: readonly unknown[]
  pace?: TurnPace
}

/**
 * Does something for each of these agencies in its turn, a few at a time. One that fails holds up no other: the failures
 * are thrown together at the end. One that is busy has its turn the next time.
 */
export async function forEachAgency(
  database: Database,
  { find, values = [], pace }: Due,
  work: (db: Scope, turn: Turn) => Promise<unknown>,
): Promise<void> {
  const { rows: left } = await database.pool.query<{ id: string }>(find, [...values])
  const failures: unknown[] = []
  const next = async () => {
    for (let agency = left.pop(); agency; agency = left.pop()) {
      const db = Scope.ofAgency(database, agency.id)
      await inTurn(database, agency.id, (turn) => work(db, turn), pace).catch((error: unknown) => {
        if (!(error instanceof AgencyBusy)) failures.push(error)
      })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
  if (failures.length > 0) throw new AggregateError(failures, `billing failed for ${failures.length} agencies`)
}

/** Throws where the provider refuses the service itself, since the error of a job is an alarm; of anything else it may be asked anew. */
export function alarmAt(answer: Answer | undefined): void {
  if (answer?.ourFault) throw new Error(`billing refuses the service: ${answer.reason}`)
}
