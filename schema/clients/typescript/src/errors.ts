import { FairleadError } from './failure.js'
import { CLASSES } from './generated/errors.js'

export { FairleadError, type Fault } from './failure.js'

/** No answer came: the connection failed, every time that it was tried. Its `cause` is what the platform said. */
export class ConnectionError extends Error {
  override name = 'ConnectionError'
}

/** No answer came in time, in any attempt. Whether the call was done is not known, unless it is made again with its key. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError'
}

/** What an answer that is no success is thrown as. */
export function errorOf(status: number, body: unknown, requestId: string | null, attempts: number): FairleadError {
  const { error, event_id } = (body ?? {}) as { error?: Record<string, unknown>; event_id?: string }
  const code = typeof error?.code === 'string' ? error.code : `HTTP_${status}`
  const Class = (CLASSES as Record<string, typeof FairleadError>)[code] ?? FairleadError
  return new Class({
    message: `The server answered with status ${status}.`,
    details: [],
    ...error,
    code,
    status,
    attempts,
    request_id: requestId ?? (error?.request_id as string | undefined),
    event_id,
  })
}
