import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type NextFunction, type Request, type Response, Router } from 'express'
import type { Context } from '../../database/index.js'
import { type Admit, parseQuery, readJsonObject, type Tool, type ToolMeans } from '../../rest/index.js'
import { AppError, type ErrorKind } from '../../shared/errors.js'
import { allowing } from '../methods.js'
import { requestIdOf } from '../request-id.js'

export interface McpRouteOptions {
  tools: readonly Tool[]
  means: ToolMeans
  admit: Admit
  /** The names of the hosts whose pages may call: the service's own, and this machine's. */
  hosts: readonly string[]
}

const ORIGIN_NOT_ALLOWED: ErrorKind = {
  code: 'ORIGIN_NOT_ALLOWED',
  status: 403,
  meaning: 'A page of another host asked for tools.',
  remedy: 'Call from a program, or set PUBLIC_URL to the address of the service.',
}

/**
 * Mounts /mcp, where AI assistants find the tools that their key allows (Model Context Protocol, streamable HTTP). Nothing
 * is remembered between requests, so any process may answer any of them.
 */
export function mcpRoutes({ tools, means, admit, hosts }: McpRouteOptions): Router {
  let handler: ReturnType<typeof createHandler> | undefined
  const router = Router()
  router.use((request: Request, _response: Response, next: NextFunction) => {
    if (request.method !== 'OPTIONS') requireOwnOrigin(request, hosts)
    next()
  })
  router.use(allowing('POST, OPTIONS', ': nothing is kept between requests'))
  router.use(async (request: Request, response: Response) => {
    const query = parseQuery(request.url.split('?')[1] ?? '')
    const { context, exceeded } = await admit(request, response, query, requestIdOf(request))
    if (exceeded) throw exceeded
    const body = await readJsonObject(request, response)
    const left = new AbortController()
    response.once('close', () => left.abort())
    const asked = new globalThis.Request('http://localhost/mcp', {
      method: 'POST',
      headers: plainHeaders(request),
      signal: left.signal,
    })
    const { actor } = context.viewer
    const authInfo = { token: '', clientId: actor.id, scopes: [], extra: { context } }
    handler ??= createHandler(tools, means)
    await send(response, await (await handler).fetch(asked, { parsedBody: body, authInfo }))
  })
  return router
}

/** What speaks the protocol: loaded with the first call, since few processes ever get one. */
async function createHandler(tools: readonly Tool[], means: ToolMeans) {
  const [{ createMcpHandler }, { toolServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('./server.js'),
  ])
  return createMcpHandler(({ authInfo }) =>
    toolServer(tools, () => (authInfo!.extra as { context: Context }).context, means),
  )
}

/**
 * A page in a browser that was led to believe that this is its own host (DNS rebinding) sends its own name as Origin.
 * Programs send none.
 */
function requireOwnOrigin({ headers: { origin } }: Request, hosts: readonly string[]): void {
  if (origin === undefined) return
  const host = URL.canParse(origin) ? new URL(origin).hostname : undefined
  if (host === undefined || !hosts.includes(host)) {
    throw new AppError(
      ORIGIN_NOT_ALLOWED,
      'Pages of other hosts cannot call this; PUBLIC_URL says which is the own one.',
    )
  }
}

/** The headers that the protocol looks at; a credential is no affair of its library. */
function plainHeaders({ headers }: Request): Record<string, string> {
  const names = Object.keys(headers).filter((name) => /^(accept|content-type|mcp-|last-event-id)/.test(name))
  return Object.fromEntries(names.map((name) => [name, String(headers[name])]))
}

async function send(response: Response, answer: globalThis.Response): Promise<void> {
  response.status(answer.status)
  for (const [name, value] of answer.headers) response.setHeader(name, value)
  response.setHeader('Cache-Control', 'no-store')
  if (!answer.body) return void response.end()
  await pipeline(Readable.fromWeb(answer.body as never), response).catch(() => response.destroy()) // the caller has left
}
