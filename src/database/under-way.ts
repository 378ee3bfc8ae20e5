import { failureCode } from './failures.js'

const TRANSACTION_ABORTED = '25P02'

/** Why a transaction failed: of what was sent without waiting, the first that failed had all that follows it fail too. */
export async function causeOf(
  error: unknown,
  { underWay }: { underWay: readonly Promise<unknown>[] },
): Promise<unknown> {
  if (failureCode(error) !== TRANSACTION_ABORTED) return error
  const ends = await Promise.allSettled(underWay)
  return ends.find((end) => end.status === 'rejected')?.reason ?? error
}

/** A promise that somebody will wait for later: until then its failure is nobody's fault. */
export function settled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
