import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Database, RateState } from '../database/index.js'
import type { Authenticator, KnownKey, LastUse, RateLimit } from '../domains/accounts/index.js'
import { RequestContext } from '../graphql/index.js'
import type { Admit, Admitted, QueryParameters } from '../rest/index.js'
import { AppError } from '../shared/errors.js'

export interface KeyAdmissionOptions {
  database: Database
  authenticator: Authenticator
  rateLimit: RateLimit
  lastUse: LastUse
  /** Whether the callers' operations are stored ones. */
  stored: boolean
}

/** Admits callers with an API key: by header, as a Bearer token or in the query, in this order. */
export function admitByKey({ database, authenticator, rateLimit, lastUse, stored }: KeyAdmissionOptions): Admit {
  return async (request, response, query, requestId): Promise<Admitted> => {
    const found = authenticator.authenticate(credentialOf(request, query))
    const { viewer, rateLimit: limit }: KnownKey = found instanceof Promise ? await found : found
    const { state, exceeded } = await rateLimit.count(viewer.actor.id, limit)
    tellAllowance(response, state)
    lastUse.record(viewer.actor.id)
    return { context: new RequestContext(requestId, { viewer }, database, state, stored), exceeded }
  }
}

/** As for REST, but without a valid key the request goes on, and the fields that need one fail. */
export function admitAnyone(admit: Admit, database: Database) {
  return async (request: IncomingMessage, response: ServerResponse, query: QueryParameters, requestId: string) => {
    try {
      return await admit(request, response, query, requestId)
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 401) throw error
      return { context: new RequestContext(requestId, { error }, database) }
    }
  }
}

/** The first that is present decides; an empty one counts as absent. */
function credentialOf({ headers }: IncomingMessage, query: QueryParameters): string | undefined {
  const key = headers['x-api-key']
  if (typeof key === 'string' && key.trim()) return key.trim()
  const bearer = /^Bearer(?:\s+(.*))?$/i.exec(headers.authorization ?? '')?.[1]?.trim()
  if (bearer) return bearer
  return query.get('api_key')?.[0]?.trim() || undefined
}

function tellAllowance(response: ServerResponse, { limit, remaining, reset }: RateState): void {
  response.setHeader('X-RateLimit-Limit', limit)
  response.setHeader('X-RateLimit-Remaining', remaining)
  response.setHeader('X-RateLimit-Reset', reset)
}
