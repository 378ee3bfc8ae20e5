import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Database, RateState } from '../database/index.js'
import {
  type Authenticator,
  type FailedAuthentications,
  type KnownCaller,
  type LastUse,
  type RateLimit,
  TooManyFailures,
} from '../domains/accounts/index.js'
import { type Allowance, RequestContext } from '../graphql/index.js'
import type { Admit, Admitted, QueryParameters } from '../rest/index.js'
import { AppError } from '../shared/errors.js'
import type { Actor } from '../shared/viewer.js'
import { type AddressOf, callerOf } from './address.js'
import { note } from './subject.js'

interface Counted {
  state: RateState
  exceeded?: AppError
}

export interface AdmissionOptions {
  database: Database
  authenticator: Authenticator
  rateLimit: RateLimit
  failures: FailedAuthentications
  lastUse: LastUse
  addressOf: AddressOf
  /** The kinds of credentials that are taken. */
  admitted: readonly Actor['kind'][]
  /** Whether the callers' operations are stored ones. */
  stored: boolean
}

/** Finds out whose credential a request has, as long as not too many wrong ones came from its address. */
function recognising({
  authenticator,
  failures,
  addressOf,
}: Pick<AdmissionOptions, 'authenticator' | 'failures' | 'addressOf'>) {
  const missed = async (error: unknown, request: IncomingMessage, response: ServerResponse): Promise<never> => {
    try {
      if (error instanceof AppError && error.status === 401 && error.code !== 'MISSING_API_KEY') {
        await failures.count(addressOf(request))
      }
    } catch (more) {
      error = more
    }
    if (error instanceof TooManyFailures) tellAllowance(response, error.state)
    throw error
  }
  return (
    request: IncomingMessage,
    response: ServerResponse,
    credential: string | undefined,
    admitted: readonly Actor['kind'][],
  ): KnownCaller | Promise<KnownCaller> => {
    try {
      const found = authenticator.authenticate(credential, admitted, () => failures.require(addressOf(request)))
      return found instanceof Promise ? found.catch((error) => missed(error, request, response)) : found
    } catch (error) {
      return missed(error, request, response)
    }
  }
}

/** What is left of a caller's requests, and how more of them are counted; `tell` hears what is left then. */
export function allowanceOf(
  rateLimit: RateLimit,
  known: KnownCaller,
  state: RateState,
  tell: (left: RateState) => void = () => {},
): Allowance {
  const allowance: Allowance = {
    state,
    charge: async (requests) => {
      const more = await rateLimit.count(known, requests)
      allowance.state = more.state
      tell(more.state)
      if (more.exceeded) throw more.exceeded
    },
  }
  return allowance
}

/** Admits callers with a credential: by header, as a Bearer token or in the query, in this order. */
export function admitByCredential(options: AdmissionOptions): Admit {
  const { database, rateLimit, lastUse, addressOf, admitted, stored } = options
  const recognise = recognising(options)
  return async (request, response, query, requestId, counted = true): Promise<Admitted> => {
    const found = recognise(request, response, credentialOf(request, query), admitted)
    const known: KnownCaller = found instanceof Promise ? await found : found
    const { viewer } = known
    const { state, exceeded }: Counted = counted ? await rateLimit.count(known) : { state: await rateLimit.look(known) }
    tellAllowance(response, state)
    lastUse.record(viewer.actor)
    const allowance = allowanceOf(rateLimit, known, state, (left) => tellAllowance(response, left))
    const gone = () => response.destroyed
    const caller = callerOf(request, addressOf)
    const context = new RequestContext(requestId, { viewer }, database, { allowance, stored, gone, caller })
    note(request, context)
    return { context, exceeded }
  }
}

/** Admits the programs of agencies: by a Bearer token of the agency that stands in the address. */
export function admitByToken(
  options: Omit<AdmissionOptions, 'rateLimit' | 'admitted' | 'stored'>,
  parameter: string,
): Admit {
  const { database, lastUse, addressOf } = options
  const recognise = recognising(options)
  return async (request, response, _query, requestId, _counted, path = {}): Promise<Admitted> => {
    const token = bearerOf(request)
    if (token === undefined) throw new AppError('MISSING_API_KEY', 'Send a token as Authorization: Bearer <token>.')
    const { viewer } = await known(() => recognise(request, response, token, ['agency_token']))
    // Whoever guesses learns nothing: a token of another agency is as good as none.
    if (viewer.agencyKey !== path[parameter]) throw badToken()
    lastUse.record(viewer.actor)
    const [gone, caller] = [() => response.destroyed, callerOf(request, addressOf)]
    const context = new RequestContext(requestId, { viewer }, database, { stored: true, gone, caller })
    note(request, context)
    return { context }
  }
}

const badToken = () =>
  new AppError('INVALID_API_KEY', 'This token is unknown, malformed, revoked or of another agency.')

/** What is known of a token, or why it is refused, in the words of tokens. */
async function known(look: () => KnownCaller | Promise<KnownCaller>): Promise<KnownCaller> {
  try {
    return await look()
  } catch (error) {
    throw error instanceof AppError && error.status === 401 ? badToken() : error
  }
}

/** As for REST, but a request without a credential goes on for what is public; a bad one is refused. */
export function admitAnyone(admit: Admit, { database, addressOf }: Pick<AdmissionOptions, 'database' | 'addressOf'>) {
  return async (request: IncomingMessage, response: ServerResponse, query: QueryParameters, requestId: string) => {
    if (credentialOf(request, query) !== undefined) return admit(request, response, query, requestId)
    const anonymous = new AppError(
      'MISSING_API_KEY',
      'Send an API key in the X-API-Key header, or the token of a sign-in as Authorization: Bearer.',
    )
    const caller = callerOf(request, addressOf)
    const context = new RequestContext(requestId, { error: anonymous }, database, { caller })
    note(request, context)
    return { context, anonymous }
  }
}

/** The first that is present decides; an empty one counts as absent. */
function credentialOf({ headers }: IncomingMessage, query: QueryParameters): string | undefined {
  const key = headers['x-api-key']
  if (typeof key === 'string' && key.trim()) return key.trim()
  return bearerOf({ headers }) || query.get('api_key')?.[0]?.trim() || undefined
}

const bearerOf = ({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined =>
  /^Bearer(?:\s+(.*))?$/i.exec(headers.authorization ?? '')?.[1]?.trim() || undefined

function tellAllowance(response: ServerResponse, { limit, remaining, reset }: RateState): void {
  response.setHeader('X-RateLimit-Limit', limit)
  response.setHeader('X-RateLimit-Remaining', remaining)
  response.setHeader('X-RateLimit-Reset', reset)
}
