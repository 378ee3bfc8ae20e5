import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import type { ErrorCode } from '../shared/errors.js'
import { MAX_LISTED } from '../shared/faults.js'
import { presentable, thrown } from './failures.js'

export const TOO_COMPLEX: ErrorCode = 'QUERY_TOO_COMPLEX'

/** Characters of a message of GraphQL's own, which quotes names and values as they were sent. */
const MAX_MESSAGE_LENGTH = 300

/** Bytes that the errors of an answer may take. */
const MAX_BYTES = 49_152

const TOO_MANY_TOKENS = /Document contains more that \d+ tokens/

const TOO_MANY_VARIABLE_ERRORS = /^Too many errors processing variables/

/** GraphQL's own errors stay as they are; what a resolver threw is told by its code, with the paths of wrong inputs. */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const cause = thrown(error)
  if (cause instanceof GraphQLError) return withOwnCode(cut(formatted), cause)
  return { ...formatted, ...errorOf(cause, () => {}) }
}

/** Message and extensions by which `/graphql` tells of an error that is not GraphQL's own. */
export function errorOf(error: unknown, log: (error: unknown) => void): GraphQLFormattedError {
  const { code, message, faults, extra } = presentable(error, log)
  const details = faults.map(({ path, message, extra }) => ({ path, message, ...extra }))
  return { message, extensions: { code, ...capped('details', details), ...extra } }
}

const cut = (formatted: GraphQLFormattedError): GraphQLFormattedError =>
  formatted.message.length > MAX_MESSAGE_LENGTH
    ? { ...formatted, message: `${formatted.message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed()}…` }
    : formatted

/** Apollo gives every fault of a query's text the same code; a limit of ours keeps its own. */
function withOwnCode(formatted: GraphQLFormattedError, { message, extensions }: GraphQLError): GraphQLFormattedError {
  const isLimit = extensions.code === TOO_COMPLEX || TOO_MANY_TOKENS.test(message)
  if (isLimit) return withCode(formatted, TOO_COMPLEX)
  // What says that there are more wrong variables has no code, and Apollo takes it for a fault of ours.
  return TOO_MANY_VARIABLE_ERRORS.test(message) ? withCode(formatted, 'BAD_USER_INPUT') : formatted
}

const withCode = (formatted: GraphQLFormattedError, code: string): GraphQLFormattedError => ({
  ...formatted,
  extensions: { ...formatted.extensions, code },
})

/** At most a hundred entries, and how many more there are. */
export function capped(name: string, entries: readonly object[]): Record<string, unknown> {
  if (entries.length === 0) return {}
  const omitted = entries.length - MAX_LISTED
  return { [name]: entries.slice(0, MAX_LISTED), ...(omitted > 0 && { [`${name}Omitted`]: omitted }) }
}

/** As many of an answer's errors as are of use to anybody: the first, and never more bytes than this. */
export function withinBytes(errors: readonly GraphQLFormattedError[]): readonly GraphQLFormattedError[] {
  let bytes = 0
  const end = errors.findIndex((error) => {
    bytes += Buffer.byteLength(JSON.stringify(error))
    return bytes > MAX_BYTES
  })
  return end < 0 ? errors : errors.slice(0, Math.max(end, 1))
}
