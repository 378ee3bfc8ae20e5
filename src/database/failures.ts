import { AppError } from '../shared/errors.js'

interface Failure {
  code?: unknown
  constraint?: unknown
  message?: unknown
  cause?: unknown
}

/**
 * Thrown inside a transaction to have it run again from its start, when the next try will see what this one could not.
 * One that lost each time ends with `lost`, if there is such an answer, as SERVICE_UNAVAILABLE otherwise.
 */
export class RunAgain extends Error {
  readonly lost?: AppError

  constructor(message: string, { lost, ...options }: ErrorOptions & { lost?: AppError } = {}) {
    super(message, options)
    this.lost = lost
  }
}

/** That the database could not be asked, for a reason that is not the caller's. */
export class Outage extends Error {}

/** Seconds after which a caller may try again when the database was out of reach. */
export const RETRY_AFTER_SECONDS = 5

const BAD_VALUE = new Set(['22021', '22P02', '22P05', '22003', '22008', '22001', '54001'])
// Services look before they refer to a record: when a foreign key fails, the record has gone since, or has just come.
const RETRYABLE = new Set(['40001', '40P01', '23503'])
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOENT',
  // The process may open no more sockets: a moment's shortage.
  'EMFILE',
  'ENFILE',
])
const LOCK_TIMEOUT = '55P03'
const CANCELLED = '57014'
const IDLE_IN_TRANSACTION = '25P03'
// One that has become a standby, or that its host has closed to writes since its disk is full.
const READ_ONLY = '25006'
const GIVEN_UP = new Set([LOCK_TIMEOUT, CANCELLED, IDLE_IN_TRANSACTION, READ_ONLY])
// What a server says to a connection that it does not take: none of these can be the fault of a request.
const REFUSED = new Set(['28000', '28P01', '3D000'])
// Messages of pg and pg-pool that come without a code.
const LOST =
  /timeout exceeded when trying to connect|Connection terminated|timeout expired|not queryable|connection error|SSL connection/i

/** The SQLSTATE or network code of an error, looked for down its chain of causes. */
export function failureCode(error: unknown): string | undefined {
  for (let e = error as Failure | undefined; e; e = e.cause as Failure | undefined) {
    if (typeof e.code === 'string' && /^([0-9A-Z]{5}|E[A-Z_]+)$/.test(e.code)) return e.code
  }
  return undefined
}

/** Whether a transaction that failed with this error may succeed when it is run again from its start. */
export function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(failureCode(error) ?? '')
}

/** Whether a statement gave up a lock, or itself, since it took longer than it may. */
export function isLate(error: unknown): boolean {
  const code = failureCode(error)
  return code === LOCK_TIMEOUT || (code === CANCELLED && /statement timeout/.test(String((error as Error).message)))
}

/** Whether the error is the violation of this unique index. */
export function violates(error: unknown, constraint: string): boolean {
  for (let e = error as Failure | undefined; e; e = e.cause as Failure | undefined) {
    if (e.code === '23505' && e.constraint === constraint) return true
  }
  return false
}

/** Whether the error is that a record could not be deleted because others refer to it. */
export function isReferredTo(error: unknown): boolean {
  return failureCode(error) === '23503'
}

/** What a failure of the database means for the caller; undefined for what only a bug explains. */
export function databaseFailure(error: unknown): AppError | undefined {
  const code = failureCode(error)
  if (code && BAD_VALUE.has(code)) {
    return new AppError('VALIDATION_ERROR', 'A value in the request cannot be stored.', { cause: error })
  }
  if (isOutage(code, error)) {
    return new AppError('SERVICE_UNAVAILABLE', 'The service is busy or being maintained; try again soon.', {
      extra: { retryAfter: RETRY_AFTER_SECONDS },
      cause: error,
    })
  }
  return undefined
}

/** Why the database could not be asked, where the error says that: its code, and the words of who found out. */
export function outageReason(error: unknown): string | undefined {
  if (!isOutage(failureCode(error), error)) return undefined
  let deepest = error as Failure
  while (deepest.cause) deepest = deepest.cause as Failure
  const { code, message } = deepest
  return [code, message].filter((part) => typeof part === 'string' && part !== '').join(': ')
}

function isOutage(code: string | undefined, error: unknown): boolean {
  if (error instanceof Outage || error instanceof RunAgain) return true // the latter has been tried often enough
  if (code) return NETWORK.has(code) || REFUSED.has(code) || GIVEN_UP.has(code) || /^(08|53|57P0|40)/.test(code)
  for (let e = error as Failure | undefined; e; e = e.cause as Failure | undefined) {
    if (typeof e.message === 'string' && LOST.test(e.message)) return true
  }
  return false
}
