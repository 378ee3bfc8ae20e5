import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from '../database/index.js'
import { presentable } from '../graphql/index.js'
import { AppError, invalid } from '../shared/errors.js'
import { requireAllowed, requireForArguments } from './access.js'
import type { Admit, Call, Hook, Outcome } from './admission.js'
import type { Api } from './api.js'
import { type Bind, compileBind } from './bind.js'
import { hasBody, readJsonObject } from './body.js'
import { carryOut } from './carry-out.js'
import { erasedMembers } from './erased.js'
import { Findings } from './findings.js'
import { hashRequest, Idempotency, idempotencyKeyOf, KEY_HEADER, noticeIdleKey } from './idempotency.js'
import { done, type Journal, withEntry } from './journal.js'
import type { Endpoint } from './operation.js'
import { parseQuery, type QueryParameters } from './query-string.js'
import { rehearse } from './rehearse.js'
import {
  addWarnings,
  compileEnvelope,
  documentedWarnings,
  type Envelop,
  type Failure,
  failureOf,
  send,
} from './respond.js'
import { Router } from './router.js'

export interface RestOptions {
  api: Api
  endpoints: readonly Endpoint[]
  admit: Admit
  hooks?: Readonly<Record<string, Hook>>
  /** The books on writes, of an API that has them booked. */
  journal?: Journal
  /** How long the answers to calls with an Idempotency-Key are kept. */
  idempotencyTtlHours: number
  /** How long a repeat waits for a first call that still runs, if not the usual time. */
  idempotencyWaitMs?: number
  /** Hears what became of each call with an Idempotency-Key. */
  onIdempotent?: (outcome: string) => void
  requestId: (request: IncomingMessage) => string
  log: (error: unknown, requestId: string) => void
}

/** An endpoint with everything that can be known of it before a request. */
interface Route {
  endpoint: Endpoint
  bind: Bind
  envelop: Envelop
  readsBody: boolean
  hooks: Hook[]
  idempotency: Idempotency
  /** What becomes of members of a kept answer's `data` when whom they tell of is erased, as JSON; null if nothing is. */
  erased: string | null
}

/** One request on its way. */
interface Exchange extends Call {
  options: RestOptions
  route?: Route
  query: QueryParameters
  findings: Findings
}

const NO_BODY = {}

/** An API, ready to take the requests below its base address. */
export interface Mounted {
  base: string
  /** Answers a request whose address is relative to the base. */
  handler(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** How it tells of what goes wrong below its base before a request reaches it. */
  failure(error: AppError, requestId: string): Failure
}

/** Makes the request handler of an API out of its endpoints. */
export function createRest(options: RestOptions): Mounted {
  const { api } = options
  const router = new Router<Route>()
  const idempotency = new Idempotency(options.idempotencyTtlHours, options.idempotencyWaitMs, options.onIdempotent)
  for (const endpoint of options.endpoints) {
    const route = compileRoute(endpoint, options, idempotency)
    const path = api.owner ? `/:${api.owner.name}${endpoint.mount.path}` : endpoint.mount.path
    router.add(endpoint.mount.method, path, route)
    if (endpoint.mount.method === 'GET') router.add('HEAD', path, route)
  }

  const handler: Mounted['handler'] = async (request, response) => {
    const [path, search] = splitUrl(request.url!)
    const exchange: Exchange = {
      options,
      request,
      response,
      requestId: options.requestId(request),
      operation: '',
      path: {},
      query: parseQuery(search),
      findings: new Findings(prefersStrict(request)),
    }
    try {
      if (!(await findRoute(router, path, exchange, options.admit))) return
      await settle(exchange, await run(exchange, options.admit))
    } catch (error) {
      if (response.headersSent || response.destroyed) return
      await settle(exchange, failed(exchange, error).outcome)
    } finally {
      // Whatever keeps the context of a call for a while after its end would keep the request and its answer with it: the
      // compiled mutations of graphql-jit do, until the next full collection. What is booked may go on after its answer.
      if (!exchange.route?.endpoint.operation.booked) exchange.context?.release()
    }
  }
  return { base: api.base, handler, failure: (error, requestId) => failureOf(api, error, undefined, requestId) }
}

function compileRoute(endpoint: Endpoint, { api, hooks = {}, journal }: RestOptions, idempotency: Idempotency): Route {
  if (endpoint.operation.booked && !journal) throw new Error(`${endpoint.operation.file}: there is no journal`)
  const found = endpoint.mount.hooks.map((name) => {
    const hook = hooks[name]
    if (!hook) throw new Error(`${endpoint.operation.file}: there is no hook named ${name}`)
    return hook
  })
  return {
    endpoint,
    bind: compileBind(endpoint),
    envelop: compileEnvelope(endpoint, api),
    readsBody: endpoint.parameters.some(({ source }) => source === 'body'),
    hooks: found,
    idempotency,
    erased: erasedMembers(endpoint),
  }
}

function splitUrl(url: string): [path: string, search: string] {
  const at = url.indexOf('?')
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
}

/** Puts the route on the exchange; answers OPTIONS itself and then returns false. */
async function findRoute(router: Router<Route>, path: string, exchange: Exchange, admit: Admit): Promise<boolean> {
  const { request, response, query, requestId } = exchange
  const match = router.match(path)
  if (!match) {
    if (request.method !== 'OPTIONS') throw new AppError('NOT_FOUND', 'There is no such route.')
    response.writeHead(204, { 'Content-Length': 0 }).end() // who asks first must be let through to the 404
    return false
  }
  const route = match.methods.get(request.method!)
  if (route) {
    exchange.route = route
    exchange.operation = route.endpoint.operation.name
    exchange.path = match.paramsOf(route)
    return true
  }
  response.setHeader('Allow', [...match.methods.keys(), 'OPTIONS'].join(', '))
  if (request.method !== 'OPTIONS') {
    // Such a request does not count, but a caller who is known is told what is left.
    const path = match.paramsOf([...match.methods.values()][0]!)
    await admit(request, response, query, requestId, false, path).catch(() => {})
    throw new AppError('METHOD_NOT_ALLOWED', `${request.method} is not possible here.`)
  }
  response.writeHead(204, { 'Content-Length': 0 }).end()
  return false
}

/** The order of the steps is the order in which faults count: caller, allowance, permission, body, input, execution. */
async function run(exchange: Exchange, admit: Admit): Promise<Outcome> {
  const { request, response, route, findings } = exchange
  const { endpoint, hooks, readsBody, bind } = route!
  for (const hook of hooks) await hook.before?.(exchange)
  const { context, exceeded } = await admit(request, response, exchange.query, exchange.requestId, true, exchange.path)
  exchange.context = context
  context.kind = endpoint.operation.name
  if (exceeded) throw exceeded
  requireAllowed(endpoint, context)
  const body = readsBody ? await readJsonObject(request, response) : NO_BODY
  if (findings.strict) response.setHeader('Preference-Applied', 'handling=strict')
  context.warnings.strict = findings.strict
  const key = endpoint.mount.idempotent ? idempotencyKeyOf(request, findings) : noticeIdleKey(request, findings)
  const variables = bind({ path: exchange.path, query: exchange.query, body, headers: request.headers }, findings)
  requireForArguments(endpoint, context, variables)
  const requestHash = () => hashRequest(exchange.path, body)
  if (endpoint.operation.booked && !findings.isWrong(KEY_HEADER)) {
    return book(exchange, context, variables, key, requestHash())
  }
  const work = () => execute(exchange, context, variables)
  if (findings.faults.length > 0) return refuse(exchange, context, variables)
  return withWarnings(
    await (key === undefined ? work() : runOnce(exchange, context, key, requestHash(), work)),
    findings,
  )
}

/** A request with faults of form does nothing; the caller hears of what else is wrong with it. */
async function refuse(
  { route, findings }: Exchange,
  context: Context,
  variables: Record<string, unknown>,
): Promise<never> {
  await rehearse(route!.endpoint, context, variables, findings)
  throw inputError(findings)
}

/** Has the journal know of a call before it does anything, be it that it is refused. */
async function book(
  exchange: Exchange,
  context: Context,
  variables: Record<string, unknown>,
  key: string | undefined,
  requestHash: Buffer,
): Promise<Outcome> {
  const { route, findings, response, options } = exchange
  const { api, journal } = options
  const work = () =>
    findings.faults.length > 0 ? refuse(exchange, context, variables) : execute(exchange, context, variables)
  const call = { context, operation: route!.endpoint.operation.name, key, requestHash }
  const booked = await journal!.book(call, () => done(work, (error) => failed(exchange, error)))
  if (booked.replayed) response.setHeader('Idempotent-Replayed', 'true')
  const status = booked.outcome.status ?? route!.endpoint.mount.status
  const envelope = status < 400 ? api.success : api.failure
  const outcome = { status, body: withEntry(booked, envelope, api.booked!.name, exchange.requestId) }
  return status < 400 || booked.replayed ? withWarnings(outcome, findings) : outcome // a failure tells of them itself
}

/** What is odd in this very request is told with a repeated answer too, and is no part of what is kept of it. */
function withWarnings(outcome: Outcome, { warnings, warningsOmitted }: Findings): Outcome {
  if (warnings.length === 0) return outcome
  const { status, body } = outcome
  const members = typeof body === 'string' ? JSON.parse(body) : body
  addWarnings(members, warnings, warningsOmitted)
  return { status, body: members }
}

/** Has the work happen once for this key, and answers a repeat as the first time. */
async function runOnce(
  { route, response }: Exchange,
  context: Context,
  key: string,
  requestHash: Buffer,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  const { endpoint, hooks, idempotency } = route!
  const kept = await idempotency.run(context, endpoint.operation.name, key, requestHash, async () => {
    const { status, body } = await work()
    return { status, body: JSON.stringify(body), erased: route!.erased }
  })
  if (kept.replayed) response.setHeader('Idempotent-Replayed', 'true')
  return { status: kept.status, body: hooks.length > 0 ? JSON.parse(kept.body) : kept.body }
}

/** RFC 7240: with `handling=strict` whatever would warn is a fault. */
function prefersStrict({ headers: { prefer } }: IncomingMessage): boolean {
  return prefer !== undefined && /(^|[,;\s])handling\s*=\s*"?strict"?\s*($|[,;])/i.test(String(prefer))
}

function inputError({ documented, faultsOmitted }: Findings): AppError {
  return invalid(documented, faultsOmitted)
}

async function execute({ route }: Exchange, context: Context, variables: Record<string, unknown>): Promise<Outcome> {
  const { endpoint, envelop } = route!
  return { status: endpoint.mount.status, body: await carryOut(endpoint, envelop, context, variables) }
}

/** Sends the outcome, whichever it is. */
async function settle(exchange: Exchange, outcome: Outcome): Promise<void> {
  const { request, response, route } = exchange
  for (const hook of route?.hooks ?? []) await hook.settled?.(exchange, outcome)
  // What was not read of a refused body must not be taken for the next request.
  if (outcome.status >= 400 && hasBody(request) && !request.complete) response.setHeader('Connection', 'close')
  send(response, outcome.status, outcome.body)
}

/** The outcome of a call that ended with an error, whose headers are put on the response. */
function failed(exchange: Exchange, thrown: unknown): { error: AppError; outcome: Failure } {
  const { response, route, findings, requestId, options } = exchange
  const { api, log } = options
  const error = presentable(thrown, (unknown) => log(unknown, requestId))
  const { retryAfter } = error.extra
  if (typeof retryAfter === 'number') response.setHeader('Retry-After', retryAfter)
  const { status, body } = failureOf(api, error, route?.endpoint, requestId)
  if (status === 401) response.setHeader('WWW-Authenticate', api.challenge)
  if (exchange.context && route) addWarnings(body, documentedWarnings(exchange.context, route.endpoint))
  addWarnings(body, findings.warnings, findings.warningsOmitted)
  return { error, outcome: { status, body } }
}
