import type { IncomingMessage } from 'node:http'
import type { Context } from '../database/index.js'
import { NO_ACCOUNT } from '../shared/viewer.js'
import { ByRequest } from './by-request.js'

const contexts = new ByRequest<Context>()

/** Notes what a request turned out to be about, for the log and the figures. */
export function note(request: IncomingMessage, context: Context): void {
  contexts.set(request, context)
}

/** The context of a request that was let in, or asks for what is public. */
export const contextOf = (request: IncomingMessage): Context | undefined => contexts.get(request)

/** What a request did, for whom, and with how many statements; nothing is known of one that was not let in. */
export function subjectOf(request: IncomingMessage): { operation?: string; account?: string; statements?: number } {
  const context = contexts.get(request)
  if (!context) return {}
  const { kind: operation, account, statements } = context
  return { operation, ...(account && account !== NO_ACCOUNT && { account }), statements }
}
