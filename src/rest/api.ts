import { type AppError, type ErrorCode, type ErrorKind, type ErrorName, kindOf } from '../shared/errors.js'

/** Members of a JSON object. */
export type Members = Record<string, unknown>

/**
 * What makes one API differ from another: where it is, what its bodies look like, how callers are known, its error codes
 * and its part of the documentation. All else is the same for each and follows from the stored operations.
 */
export interface Api {
  /** Names the emitted document: `schema/openapi/<name>.json`. */
  name: string
  /** Where it is mounted, such as `/external/v1`. */
  base: string
  /** The folder that holds its stored operations. */
  operations: string
  /** The members that every body of success begins with. */
  success: Members
  /** The members that every body of failure begins with, beside its `error`. */
  failure: Members
  /** Codes of its own that stand for shared ones. */
  renamed: Partial<Record<ErrorCode, ErrorKind>>
  /** Codes of its own for faults of inputs, if it has any: of those that fit a call's faults the first counts. */
  inputErrors?: readonly InputError[]
  /** The parameter that every path below the base begins with, if there is one: admission looks at it, no operation does. */
  owner?: PathParameter
  /** What bodies tell of an entry in the journal, if the API's writes are booked in one. */
  booked?: BookedMember
  /** How it wants to be asked, as the `WWW-Authenticate` of a 401 says it. */
  challenge: string
  /** The errors with which admission to any of its endpoints can end. */
  admissionErrors: readonly ErrorName[]
  /**
   * What its operations show although the caller need not hold the permission that it takes to read it, because the
   * documented answer has it: by operation, whole types (`Tag`) or single fields (`Contact.name`). Nothing else is an
   * exception, and `/graphql` knows none.
   */
  shows: Readonly<Record<string, readonly string[]>>
  document: ApiDocument
}

/** An error for faults of one body field and what is inside of it, or for that mandatory fields are missing. */
export interface InputError {
  error: ErrorKind
  field?: string
  missing?: true
  /** Such a fault, for the documentation; of a missing field it follows from the endpoint. */
  example?: { field: string; message: string }
}

/** A part of the path that belongs to the API itself. */
export interface PathParameter {
  name: string
  description: string
  example: string
}

/** The member that names the entry of a booked call in every body that tells of its outcome. */
export interface BookedMember {
  name: string
  description: string
}

/** What an API's OpenAPI document says beside what follows from the operations. */
export interface ApiDocument {
  /** Where the service serves it. */
  path: string
  title: string
  description: string
  /** Further members of the document's `info`, such as the licence. */
  info: Members
  securitySchemes: Record<string, Members>
  /** What errors of admission say in its own words, by code; the permission is that of the endpoint. */
  errorExamples?: Readonly<Record<string, (permission: string) => Members>>
  /** The headers of every answer to a caller that is known: by name, as OpenAPI header objects. */
  callerHeaders: Record<string, Members>
}

/** The code by which an API tells of an error. */
export function kindIn({ renamed }: Pick<Api, 'renamed'>, name: ErrorName): ErrorKind {
  return (typeof name === 'string' && renamed[name]) || kindOf(name)
}

/** The code and the status by which an API tells of an error that was thrown. */
export function shownAs(
  { renamed }: Pick<Api, 'renamed'>,
  { code, status }: AppError,
): { code: string; status: number } {
  return renamed[code as ErrorCode] ?? { code, status }
}
