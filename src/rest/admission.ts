import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from '../database/index.js'
import type { AppError } from '../shared/errors.js'
import type { QueryParameters } from './query-string.js'

/** A caller whose credential is good. */
export interface Admitted {
  context: Context
  /** Set when the caller's allowance is used up; its headers are on the response already. */
  exceeded?: AppError
}

/**
 * Finds out who calls: looks at the credential, counts the request, unless told not to, and puts the allowance's headers
 * on the response. Throws the 401 of its API. Of an API whose paths begin with a parameter, `path` holds that.
 */
export type Admit = (
  request: IncomingMessage,
  response: ServerResponse,
  query: QueryParameters,
  requestId: string,
  counted?: boolean,
  path?: Readonly<Record<string, string>>,
) => Promise<Admitted>

/** How a call ended. The body is text already when nobody else needs to look into it. */
export interface Outcome {
  status: number
  body: Record<string, unknown> | string
}

/** One call of an endpoint, as its hooks see it. */
export interface Call {
  request: IncomingMessage
  response: ServerResponse
  requestId: string
  /** The name of the stored operation. */
  operation: string
  path: Readonly<Record<string, string>>
  context?: Context
}

/** Code outside of `rest` that an operation names in `@rest(hooks: …)`. */
export interface Hook {
  /** Before the caller is known. */
  before?(call: Call): void | Promise<void>
  /** When the outcome is certain and not yet sent; may change its body, which is no text then. */
  settled?(call: Call, outcome: Outcome): void | Promise<void>
}
