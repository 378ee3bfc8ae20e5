import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { AppError } from '../shared/errors.js'
import { type ConnectionLimits, Connections, connectionLimits } from './connections.js'
import type { Web } from './web.js'

const RETRY_AFTER_SECONDS = 5

/** A request line may hold a whole address (RFC 9112, 3.2.2), whose host counts before that in the headers. */
function toOriginForm(request: IncomingMessage): void {
  const whole = /^https?:\/\/([^/?]*)\/?/i.exec(request.url!)
  if (!whole) return
  request.url = request.url!.replace(whole[0], '/')
  const host = whole[1]!.replace(/^.*@/, '')
  if (request.headers.host !== undefined) request.headers.host = host
}

/** A listening server that can be drained. */
export interface Listening {
  port: number
  /** Stops accepting, closes what is idle, lets requests in flight finish, and cuts what is left after `graceMs`. */
  drain(graceMs: number): Promise<void>
}

/** Listens; port 0 means a free one. */
export async function listen(
  web: Web,
  port: number,
  host: string,
  limits: ConnectionLimits = connectionLimits(0),
): Promise<Listening> {
  // What Node would answer by itself would not be JSON: a missing Host header is ours to refuse, an unknown Expect header
  // is passed over.
  const take = (request: IncomingMessage, response: ServerResponse) => {
    toOriginForm(request)
    web.take(request, response, connections.begin(request, response) ? undefined : tooManyConnections())
  }
  const server = createServer({ requireHostHeader: false, connectionsCheckingInterval: limits.checkMs }, take)
  const connections = new Connections(server, limits)
  server.on('checkExpectation', take)
  server.on('checkContinue', (request, response) => {
    goOn(response)
    take(request, response)
  })
  const unreadable = new WeakSet<Socket>()
  server.on('clientError', (error: Unreadable, duplex) => {
    const socket = duplex as Socket
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    if (unreadable.has(socket)) return
    unreadable.add(socket)
    connections.whenAnswered(socket, (cutOffToo) => {
      // A second answer to the same request would be taken for one to the next.
      if (cutOffToo) socket.destroySoon()
      else answerUnreadable(web, error, socket)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return { port: (server.address() as AddressInfo).port, drain: (graceMs) => connections.drain(graceMs) }
}

/** Tells who asked before sending a body to send it; Node would put that amid an answer that is ready before its turn. */
function goOn(response: ServerResponse): void {
  const tell = () => void (response.headersSent || response.writeContinue())
  if (response.socket) tell()
  else response.once('socket', tell)
}

function tooManyConnections(): AppError {
  const extra = { retryAfter: RETRY_AFTER_SECONDS }
  return new AppError('SERVICE_UNAVAILABLE', 'The service has too many connections; try again soon.', { extra })
}

/** What Node's parser could not read, as far as it tells. */
interface Unreadable extends NodeJS.ErrnoException {
  rawPacket?: Buffer
}

/** The address in what may be the first line of a request. */
const addressIn = ({ rawPacket }: Unreadable) => /^[A-Z]+ (\S+)/.exec(rawPacket?.toString('latin1', 0, 512) ?? '')?.[1]

const UNREADABLE_STATUS: Record<string, number> = {
  HPE_INVALID_METHOD: 405,
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** The methods that some address knows: of a method that nobody knows the parser tells no address for certain. */
const ALLOW = 'Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n'

const UNREADABLE: Record<number, string> = {
  400: 'The request is not readable as HTTP.',
  405: 'There is no such method.',
  408: 'The request did not arrive in time.',
  431: 'The headers of the request are too large.',
}

/** What is not even HTTP gets JSON too, of the API that it was meant for. */
function answerUnreadable(web: Web, error: Unreadable, socket: Socket): void {
  if (!socket.writable) return void socket.destroySoon()
  const address = addressIn(error)
  const known = UNREADABLE_STATUS[error.code ?? ''] ?? 400
  const status = known === 405 && address === undefined ? 400 : known // what is no request has no method either
  const message = UNREADABLE[status]!
  const requestId = randomUUID()
  const code = status === 405 ? 'METHOD_NOT_ALLOWED' : 'VALIDATION_ERROR'
  const failure = web.failure(address ?? '/', new AppError(code, message), requestId)
  const body = JSON.stringify(failure.body)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n${status === 405 ? ALLOW : ''}X-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  )
}
