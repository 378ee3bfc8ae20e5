import { type IncomingMessage, ServerResponse } from 'node:http'
import cors from 'cors'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import helmet, { type HelmetOptions } from 'helmet'
import { presentable } from '../graphql/index.js'
import { type Mounted, send } from '../rest/index.js'
import { AppError } from '../shared/errors.js'
import type { Traces } from '../shared/tracing.js'
import type { FailureLog } from './failure-log.js'
import { hostOf, namesTwoHosts } from './host.js'
import type { Answered, Logger } from './log.js'
import { logAnswers } from './log.js'
import { identify, requestIdOf } from './request-id.js'
import { traceAnswers } from './trace.js'
import { isOfNobody, Turns } from './turns.js'

const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Idempotent-Replayed',
  'Preference-Applied',
  'Allow',
  'WWW-Authenticate',
]

// Nearly all answers are JSON, which no page may frame, load from or guess the type of; pages set what they need.
const PROTECTION: HelmetOptions = {
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  crossOriginResourcePolicy: { policy: 'cross-origin' }, // browsers of other origins may call: CORS says so too
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false, // frame-ancestors says it
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
}

/** Everything that answers requests. */
export interface Web {
  /** Answers a request; by the refusal, if there is one. */
  take(request: IncomingMessage, response: ServerResponse, refusal?: AppError): void
  /** How the API that an address belongs to tells of what goes wrong before a request reaches it. */
  failure(url: string, error: AppError, requestId: string): ReturnType<Mounted['failure']>
}

/** What can be reached under a host. */
export interface Site {
  /** The APIs, each below its base; the first tells of what goes wrong below none. */
  apis: readonly Mounted[]
  /** Mounts the other routes, in their order. */
  mount: (app: Express) => void
}

/** What can be reached under any host but those that have a site of their own. */
export interface WebOptions extends Site {
  logger: Logger
  failures: FailureLog
  answered?: Answered
  traces?: Traces
  trustProxy: boolean | number
  /** The sites of hosts, by their names in lower case. */
  hosts?: ReadonlyMap<string, Site>
}

/** Takes requests: what every one gets first, then the site of the host that it is for. */
export function createWeb({
  logger,
  failures,
  answered,
  traces,
  trustProxy,
  hosts = new Map(),
  ...rest
}: WebOptions): Web {
  const serve = (site: Site) => createSite(failures, trustProxy, site)
  const others = serve(rest)
  const named = new Map([...hosts].map(([host, site]) => [host, serve(site)]))
  const siteOf = (request: IncomingMessage) => (named.size > 0 && named.get(hostOf(request) ?? '')) || others
  const logAnswer = logAnswers(logger, failures, answered)
  const traceAnswer = traceAnswers(traces)
  const take: Web['take'] = (request, response, refusal) => {
    identify(request, response)
    logAnswer(request, response)
    request.url = plainPath(request.url!)
    const faulty = named.size > 0 && namesTwoHosts(request)
    traceAnswer(request, response, () => {
      if (faulty) others.take(request, response, new AppError('VALIDATION_ERROR', 'A request names one host.'))
      else siteOf(request).take(request, response, refusal)
    })
  }
  // Of what is not readable nobody knows the host.
  return { take, failure: failureIn([rest, ...hosts.values()].flatMap(({ apis }) => apis)) }
}

/** How the API that an address belongs to tells of a failure. */
function failureIn(apis: readonly Mounted[]): Web['failure'] {
  return (url, error, requestId) => {
    const api = apis.find(({ base }) => below(base, url.toLowerCase()) !== undefined) ?? apis[0]!
    return api.failure(error, requestId)
  }
}

/**
 * Answers the requests of a host: the API that an address belongs to, or an Express application with all other routes and
 * JSON for whatever none of them took. What Express itself costs is a good part of a small request, so the APIs stand
 * beside it; they are mounted there too, for preflights and for unusual spellings of their addresses.
 */
function createSite(failures: FailureLog, trustProxy: boolean | number, { apis, mount }: Site): Web {
  const protect = helmet(PROTECTION)
  const share = cors({ exposedHeaders: EXPOSED_HEADERS, preflightContinue: true, maxAge: 3600 })
  const usual = headersOf(protect, share)
  const failure = failureIn(apis)
  const app = createExpress(failures, trustProxy, failure, (express) => {
    express.use(protect, share)
    for (const { base, handler } of apis) express.use(base, handler)
    mount(express)
  })
  const straight = (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.method === 'OPTIONS' || lacksHost(request)) return false
    for (const { base, handler } of apis) {
      const rest = below(base, request.url!)
      if (rest === undefined) continue
      for (const [name, value] of usual) response.setHeader(name, value)
      request.url = rest
      handler(request, response).catch((err: unknown) => {
        failures.tell(err, requestIdOf(request))
        response.destroy()
      })
      return true
    }
    return false
  }
  const refuse = (request: IncomingMessage, response: ServerResponse, refusal: AppError) => {
    for (const [name, value] of usual) response.setHeader(name, value)
    if (typeof refusal.extra.retryAfter === 'number') response.setHeader('Retry-After', refusal.extra.retryAfter)
    const { status, body } = failure(request.url!, refusal, requestIdOf(request))
    send(response, status, body)
  }
  // Many who sign in at once would hold up all other calls by as long as it takes to read what they say.
  const turns = new Turns()
  const take: Web['take'] = (request, response, refusal) => {
    if (refusal) refuse(request, response, refusal)
    else if (straight(request, response)) return
    else if (isOfNobody(request)) turns.take(() => app(request, response))
    else app(request, response)
  }
  return { take, failure }
}

/** An address whose path has its unreserved characters in the clear (RFC 3986, 6.2.2.2): `/%63ontacts` is `/contacts`. */
function plainPath(url: string): string {
  if (!url.includes('%')) return url
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  const plain = path.replace(/%[2-7][0-9a-f]/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : code
  })
  return plain + url.slice(path.length)
}

/** The rest of an address below a path; undefined when it is not below it. */
function below(base: string, url: string): string | undefined {
  if (!url.startsWith(base)) return undefined
  const rest = url.slice(base.length)
  if (rest === '' || rest[0] === '?') return `/${rest}`
  return rest[0] === '/' ? rest : undefined
}

/** The headers that middlewares put on an answer, whatever the request. */
function headersOf(...middlewares: ((request: never, response: never, next: () => void) => void)[]) {
  const request = { method: 'GET', headers: {}, httpVersionMajor: 1, httpVersionMinor: 1 }
  const response = new ServerResponse(request as IncomingMessage)
  for (const middleware of middlewares) middleware(request as never, response as never, () => {})
  return Object.entries(response.getHeaders()) as [string, string][]
}

const lacksHost = ({ headers, httpVersion }: IncomingMessage) => headers.host === undefined && httpVersion === '1.1'

function createExpress(
  failures: FailureLog,
  trustProxy: boolean | number,
  failure: Web['failure'],
  mount: (app: Express) => void,
): Express {
  const app = express()
  app.set('trust proxy', trustProxy)
  app.disable('x-powered-by')
  app.use((request: Request, _response: Response, next: NextFunction) => {
    if (lacksHost(request)) throw new AppError('VALIDATION_ERROR', 'A request of HTTP/1.1 names its host.')
    next()
  })
  mount(app)
  app.use((request: Request, response: Response) => {
    // A page that asks first must be let through to the 404.
    if (request.method === 'OPTIONS') response.writeHead(204, { 'Content-Length': 0 }).end()
    else throw new AppError('NOT_FOUND', 'There is no such route.')
  })
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    const requestId = requestIdOf(request)
    if (response.headersSent) return void response.destroy()
    const shown = presentable(error, (unknown) => failures.tell(unknown, requestId))
    const { status, body } = failure(request.originalUrl, shown, requestId)
    send(response, status, body)
  })
  return app
}
