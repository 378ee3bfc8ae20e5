import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Database, RateState } from '../database/index.js'
import type { Authenticator, KnownKey, LastUse, RateLimit } from '../domains/accounts/index.js'
import { type Allowance, RequestContext } from '../graphql/index.js'
import type { Admit, Admitted, QueryParameters } from '../rest/index.js'
import { AppError } from '../shared/errors.js'

interface Counted {
  state: RateState
  exceeded?: AppError
}

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
  return async (request, response, query, requestId, counted = true): Promise<Admitted> => {
    const found = authenticator.authenticate(credentialOf(request, query))
    const { viewer, rateLimit: limit }: KnownKey = found instanceof Promise ? await found : found
    const keyId = viewer.actor.id
    const { state, exceeded }: Counted = counted
      ? await rateLimit.count(keyId, limit)
      : { state: await rateLimit.look(keyId, limit) }
    tellAllowance(response, state)
    lastUse.record(keyId)
    const allowance: Allowance = {
      state,
      charge: async (requests) => {
        const more = await rateLimit.count(keyId, limit, requests)
        allowance.state = more.state
        tellAllowance(response, more.state)
        if (more.exceeded) throw more.exceeded
      },
    }
    const gone = () => response.destroyed
    return { context: new RequestContext(requestId, { viewer }, database, { allowance, stored, gone }), exceeded }
  }
}

/** As for REST, but a request without a key goes on for what is public; a bad key is refused. */
export function admitAnyone(admit: Admit, database: Database) {
  return async (request: IncomingMessage, response: ServerResponse, query: QueryParameters, requestId: string) => {
    if (credentialOf(request, query) !== undefined) return admit(request, response, query, requestId)
    const anonymous = new AppError('MISSING_API_KEY', 'Send an API key in the X-API-Key header.')
    return { context: new RequestContext(requestId, { error: anonymous }, database), anonymous }
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
