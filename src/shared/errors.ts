import { type Fault, MAX_LISTED, namedFault, sentenceOn } from './faults.js'

export type { Fault } from './faults.js'

/** One row of the table of error codes: the documentation, the OpenAPI documents and the REST statuses are made from it. */
export interface ErrorMeaning {
  status: number
  meaning: string
  remedy: string
}

const codes = {
  VALIDATION_ERROR: {
    status: 400,
    meaning: 'Something in the request is missing, malformed or out of range.',
    remedy: 'Correct the fields named in `details` and send the request again.',
  },
  MISSING_API_KEY: {
    status: 401,
    meaning: 'The request carries no API key.',
    remedy: 'Send the key in the X-API-Key header.',
  },
  INVALID_API_KEY: {
    status: 401,
    meaning: 'The API key is unknown or malformed, or it was revoked or has expired.',
    remedy: 'Use a key that is in force; create a new one if it has ended.',
  },
  INSUFFICIENT_PERMISSIONS: {
    status: 403,
    meaning: 'The API key lacks the permission named in `required_permission`.',
    remedy: 'Use a key that has the permission.',
  },
  NOT_FOUND: {
    status: 404,
    meaning: 'There is no such route, or no such record in this account.',
    remedy: 'Check the path and the id.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    meaning: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the Allow header.',
  },
  DUPLICATE_ERROR: {
    status: 409,
    meaning: 'A record with the same unique value exists already.',
    remedy: 'Update the record named in `details`, or send another value.',
  },
  LIMIT_REACHED: {
    status: 400,
    meaning: 'The collection agent holds as many profiles as its limit allows.',
    remedy: 'Raise the limit of the agent, or add the profile to another one.',
  },
  RECORD_IN_USE: {
    status: 409,
    meaning: 'The record cannot be deleted while others stand in it.',
    remedy: 'Move what is in it elsewhere first.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    meaning: 'The first call with this Idempotency-Key is still running.',
    remedy: 'Repeat the call after the seconds in Retry-After.',
  },
  RESOURCE_DELETED: {
    status: 410,
    meaning: 'What the first call with this Idempotency-Key created has been deleted since.',
    remedy: 'Use a new key to create it anew.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    meaning: 'The body is larger than 1 MiB.',
    remedy: 'Send less in one request.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: 'The body is not JSON in UTF-8 by its Content-Type, or its Content-Encoding is not supported.',
    remedy: 'Send JSON with `Content-Type: application/json`.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    meaning: 'The Idempotency-Key was used before with another body or path.',
    remedy: 'Use a new key for each new call.',
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    meaning: "The key's requests of this hour are used up.",
    remedy: 'Wait for the seconds in Retry-After.',
  },
  QUERY_TOO_COMPLEX: {
    status: 400,
    meaning: 'The GraphQL query is nested too deeply, too long or uses too many aliases.',
    remedy: 'Split it into several smaller queries.',
  },
  INTERNAL_ERROR: {
    status: 500,
    meaning: 'A fault on our side.',
    remedy: 'Try again; if it stays, tell support the request id.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning: 'The database cannot be reached, or is too busy.',
    remedy: 'Try again after the seconds in Retry-After.',
  },
} satisfies Record<string, ErrorMeaning>

/** A code that every API knows. */
export type ErrorCode = keyof typeof codes

/** Status, meaning and remedy of each error code that every API knows. */
export const ERROR_CODES: Readonly<Record<ErrorCode, ErrorMeaning>> = codes

/** An error code with its meaning: one that every API knows, or one of a domain or an API alone. */
export interface ErrorKind extends ErrorMeaning {
  code: string
}

/** Names an error: a shared code by its name, another one by what `errorKinds` made of it. */
export type ErrorName = ErrorCode | ErrorKind

/** Makes error codes of a table of meanings, for a domain or an API that has its own. */
export function errorKinds<Code extends string>(table: Record<Code, ErrorMeaning>): Record<Code, ErrorKind> {
  const kinds = Object.entries<ErrorMeaning>(table).map(([code, meaning]) => [code, { code, ...meaning }])
  return Object.fromEntries(kinds) as Record<Code, ErrorKind>
}

const SHARED = errorKinds(codes)

/** The code with its meaning that a name stands for. */
export const kindOf = (name: ErrorName): ErrorKind => (typeof name === 'string' ? SHARED[name] : name)

interface AppErrorOptions {
  faults?: readonly Fault[]
  /** How many faults there are beside these. */
  faultsOmitted?: number
  /** Further members of `error`, such as `requiredPermission` or `retryAfter`. */
  extra?: Record<string, unknown>
  cause?: unknown
}

/** An error whose code and message are meant for the caller; everything else is masked as INTERNAL_ERROR. */
export class AppError extends Error {
  readonly code: string
  /** The HTTP status that REST answers. */
  readonly status: number
  readonly faults: readonly Fault[]
  readonly faultsOmitted: number
  readonly extra: Record<string, unknown>

  constructor(
    name: ErrorName,
    message: string,
    { faults = [], faultsOmitted = 0, extra = {}, cause }: AppErrorOptions = {},
  ) {
    super(message, { cause })
    const { code, status } = kindOf(name)
    this.name = 'AppError'
    this.code = code
    this.status = status
    this.faults = faults
    this.faultsOmitted = faultsOmitted
    this.extra = extra
  }
}

/** Thrown to say that a booked call is not done yet, and will be without the caller. */
export class Deferred extends Error {}

/** VALIDATION_ERROR of inputs; its message follows from its faults, so that REST can tell it in documented names. */
export class InvalidInput extends AppError {
  constructor(faults: readonly Fault[], faultsOmitted = 0) {
    const listed = faults.slice(0, MAX_LISTED)
    const named = listed.map(({ path, message }) => namedFault(withoutInput(path), message))
    super('VALIDATION_ERROR', sentenceOn(named, faultsOmitted + faults.length - listed.length), {
      faults,
      faultsOmitted,
    })
  }
}

/** The argument that nearly all mutations have says nothing. */
const withoutInput = (path: Fault['path']) => (path[0] === 'input' && path.length > 1 ? path.slice(1) : path)

/** VALIDATION_ERROR that names every wrong field at once. */
export const invalid = (faults: readonly Fault[], omitted = 0): AppError => new InvalidInput(faults, omitted)

/** NOT_FOUND for a record that does not exist in the viewer's account. */
export function notFound(what: string): AppError {
  return new AppError('NOT_FOUND', `There is no such ${what}.`)
}
