import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import cors from 'cors'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import helmet, { type HelmetOptions } from 'helmet'
import { presentable } from '../graphql/index.js'
import { EXTERNAL_STYLE, errorMembers, send } from '../rest/index.js'
import { AppError } from '../shared/errors.js'
import type { Logger } from './log.js'
import { logAnswers } from './log.js'
import { identify, requestIdOf } from './request-id.js'

const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Idempotent-Replayed',
  'Preference-Applied',
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

/** What answers requests below a path, which is taken off their addresses. */
export interface Mount {
  base: string
  handler: Handler
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>
type Take = (request: IncomingMessage, response: ServerResponse) => void

export interface WebOptions {
  logger: Logger
  trustProxy: boolean | number
  /** The API that takes nearly all requests. */
  api: Mount
  /** Mounts the other routes, in their order. */
  mount: (app: Express) => void
}

/**
 * Takes requests: what every one gets first, then the API, or an Express application with all other routes and JSON for
 * whatever none of them took. What Express itself costs is a good part of a small request, so the API stands beside it;
 * it is mounted there too, for preflights and for unusual spellings of its address.
 */
export function createWeb({ logger, trustProxy, api, mount }: WebOptions): Take {
  const protect = helmet(PROTECTION)
  const share = cors({ exposedHeaders: EXPOSED_HEADERS, preflightContinue: true, maxAge: 3600 })
  const usual = headersOf(protect, share)
  const logAnswer = logAnswers(logger)
  const app = createExpress(logger, trustProxy, (express) => {
    express.use(protect, share)
    express.use(api.base, api.handler)
    mount(express)
  })
  return (request, response) => {
    identify(request, response)
    logAnswer(request, response)
    const rest = request.method === 'OPTIONS' ? undefined : below(api.base, request.url!)
    if (rest === undefined || lacksHost(request)) return void app(request, response)
    for (const [name, value] of usual) response.setHeader(name, value)
    request.url = rest
    api.handler(request, response).catch((err: unknown) => {
      logger.error({ err, requestId: requestIdOf(request) }, 'request failed')
      response.destroy()
    })
  }
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

function createExpress(logger: Logger, trustProxy: boolean | number, mount: (app: Express) => void): Express {
  const app = express()
  app.set('trust proxy', trustProxy)
  app.disable('x-powered-by')
  app.use((request: Request, _response: Response, next: NextFunction) => {
    if (lacksHost(request)) throw new AppError('VALIDATION_ERROR', 'A request of HTTP/1.1 names its host.')
    next()
  })
  mount(app)
  app.use(() => {
    throw new AppError('NOT_FOUND', 'There is no such route.')
  })
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    const requestId = requestIdOf(request)
    if (response.headersSent) return void response.destroy()
    const shown = presentable(error, (unknown) => logger.error({ err: unknown, requestId }, 'request failed'))
    send(response, shown.status, EXTERNAL_STYLE.failure(errorMembers(shown, undefined, requestId)))
  })
  return app
}

/** A request line may hold a whole address (RFC 9112, 3.2.2); its path and query are what counts. */
function originForm(url: string): string {
  return /^https?:\/\//i.test(url) ? url.replace(/^https?:\/\/[^/?]*\/?/i, '/') : url
}

/** A listening server that can be drained. */
export interface Listening {
  port: number
  /** Stops accepting, lets requests in flight finish, and cuts what is left after `graceMs`. */
  drain(graceMs: number): Promise<void>
}

/** Listens; port 0 means a free one. */
export async function listen(web: Take, port: number, host: string): Promise<Listening> {
  // What Node would answer by itself would not be JSON: a missing Host header is ours to refuse, an unknown Expect header
  // is passed over.
  const take = (request: IncomingMessage, response: ServerResponse) => {
    request.url = originForm(request.url!)
    web(request, response)
  }
  const server = createServer({ requireHostHeader: false }, take)
  server.on('checkExpectation', take)
  server.on('clientError', answerUnreadable)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return { port: (server.address() as AddressInfo).port, drain: (graceMs) => drain(server, graceMs) }
}

/** What is not even HTTP gets JSON too. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const message = status === 431 ? 'The headers of the request are too large.' : 'The request is not readable as HTTP.'
  const requestId = randomUUID()
  const body = JSON.stringify(EXTERNAL_STYLE.failure({ code: 'VALIDATION_ERROR', message, request_id: requestId }))
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  )
}

function drain(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
    server.closeIdleConnections()
  })
}
