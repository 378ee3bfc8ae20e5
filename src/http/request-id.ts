import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ByRequest } from './by-request.js'

const SANE = /^[A-Za-z0-9._-]{1,128}$/
const ids = new ByRequest<string>()

/** Gives a request its id, the caller's own if it is sane, and puts it on the response. */
export function identify(request: IncomingMessage, response: ServerResponse): string {
  const given = request.headers['x-request-id']
  const id = typeof given === 'string' && SANE.test(given) ? given : randomUUID()
  ids.set(request, id)
  response.setHeader('X-Request-Id', id)
  return id
}

/** The id that the request was given. */
export function requestIdOf(request: IncomingMessage): string {
  return ids.get(request) ?? ''
}
