import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
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

export interface WebOptions {
  logger: Logger
  trustProxy: boolean | number
  /** Mounts the routes, in their order. */
  mount: (app: Express) => void
}

/** The Express application: what every request gets first, the routes, and JSON for whatever none of them took. */
export function createWeb({ logger, trustProxy, mount }: WebOptions): Express {
  const app = express()
  app.set('trust proxy', trustProxy)
  app.disable('x-powered-by')
  const logAnswer = logAnswers(logger)
  app.use((request: Request, response: Response, next: NextFunction) => {
    identify(request, response)
    logAnswer(request, response)
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      throw new AppError('VALIDATION_ERROR', 'A request of HTTP/1.1 names its host.')
    }
    next()
  })
  app.use(helmet(PROTECTION))
  app.use(cors({ exposedHeaders: EXPOSED_HEADERS, preflightContinue: true, maxAge: 3600 }))
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
export async function listen(app: Express, port: number, host: string): Promise<Listening> {
  // What Node would answer by itself would not be JSON: a missing Host header is ours to refuse, an unknown Expect header
  // is passed over.
  const take = (request: IncomingMessage, response: ServerResponse) => {
    request.url = originForm(request.url!)
    app(request, response)
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
