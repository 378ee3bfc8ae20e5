import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import type { ApolloServer } from '@apollo/server'
import { expressMiddleware } from '@as-integrations/express5'
import { type NextFunction, type Request, type Response, Router } from 'express'
import type { GraphQLSchema } from 'graphql'
import type { Context } from '../database/index.js'
import {
  errorOf,
  GRAPHQL_RESPONSE,
  isPublicQuery,
  presentable,
  publicFieldsOf,
  requireBounded,
} from '../graphql/index.js'
import { type Admitted, hasBody, parseQuery, type QueryParameters, readerOf, readJsonObject } from '../rest/index.js'
import { AppError } from '../shared/errors.js'
import { Gate } from '../shared/gate.js'
import { allowing } from './methods.js'
import { pageRoutes } from './page/index.js'
import { requestIdOf } from './request-id.js'
import { contextOf } from './subject.js'

export interface GraphqlRouteOptions {
  apollo: ApolloServer<Context>
  schema: GraphQLSchema
  /** Outside production the schema can be asked for, and a browser gets a page to try queries on. */
  production: boolean
  /** The `WWW-Authenticate` of a 401. */
  challenge: string
  /** Lets a caller in, and notes the context of the request. */
  admit: (request: Request, response: Response, query: QueryParameters, requestId: string) => Promise<Caller>
  log: (error: unknown, requestId: string) => void
}

/** Who calls: with a key, or `anonymous`, which is the error for all but what is public. */
export type Caller = Admitted & { anonymous?: AppError }

interface RequestBody {
  query?: unknown
}

const JSON_ALONE = 'application/json'

/** Bytes that a body may have without a key. */
const readLittle = readerOf(8192)

// A crowd that signs in comes in portions, so that the calls of programs find their way in between.
const PUBLIC_AT_ONCE = availableParallelism() + 2

/** Mounts /graphql: the caller is known and counted before the body is read, as for REST. */
export function graphqlRoutes({ apollo, schema, production, challenge, admit, log }: GraphqlRouteOptions): Router {
  const publicFields = publicFieldsOf(schema)
  const crowd = new Gate(PUBLIC_AT_ONCE)
  const router = Router()
  router.use(allowing('GET, HEAD, POST, OPTIONS'))
  if (!production) router.use(pageRoutes())
  router.use(async (request: Request, response: Response, next: NextFunction) => {
    const query = parseQuery(request.url.split('?')[1] ?? '')
    const { exceeded, anonymous } = await admit(request, response, query, requestIdOf(request))
    if (exceeded) throw exceeded
    const isPost = request.method === 'POST'
    const body: RequestBody = isPost ? await readBody(request, response, anonymous) : { query: query.get('query')?.[0] }
    if (anonymous && !isPublicQuery(body.query, publicFields, !production)) throw anonymous
    requireBounded(body.query)
    if (anonymous) await turnOf(response, crowd)
    request.body = body
    request.headers.accept = mediaTypeOf(request)
    response.setHeader('Cache-Control', 'no-store')
    if (request.method === 'HEAD') request.method = 'GET' // Node leaves out the body by itself
    next()
  })
  router.use(expressMiddleware(apollo, { context: async ({ req }) => contextOf(req)! }))
  router.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    if (response.headersSent) return
    const shown = presentable(error, (unknown) => log(unknown, requestIdOf(request)))
    sendError(request, response, shown, challenge)
  })
  return router
}

/** Resolves when it is the turn of a call without a key, which lasts until it is answered or its caller has gone. */
function turnOf(response: Response, crowd: Gate): Promise<void> {
  return new Promise((begin, refuse) => {
    const untilAnswered = async () => {
      begin()
      if (!response.closed) await once(response, 'close')
    }
    crowd.pass(untilAnswered).catch(refuse)
  })
}

/** A body without a key is small, or else what is public cannot be meant. */
async function readBody(request: Request, response: Response, anonymous: AppError | undefined): Promise<RequestBody> {
  if (!anonymous) return readJsonObject(request, response)
  try {
    return await readJsonObject(request, response, readLittle)
  } catch {
    throw anonymous
  }
}

/** Of the media types of an answer the one that is asked for; who accepts none of them gets JSON all the same. */
function mediaTypeOf(request: Request): string {
  return request.accepts(JSON_ALONE, GRAPHQL_RESPONSE) || JSON_ALONE
}

function sendError(request: Request, response: Response, error: AppError, challenge: string): void {
  const { retryAfter } = error.extra
  if (typeof retryAfter === 'number') response.setHeader('Retry-After', retryAfter)
  if (error.status === 401) response.setHeader('WWW-Authenticate', challenge)
  // What was not read of a refused body must not be taken for the next request.
  if (hasBody(request) && !request.complete) response.setHeader('Connection', 'close')
  const text = JSON.stringify({ errors: [errorOf(error, () => {})] })
  response.status(error.status).type(mediaTypeOf(request)).set('Cache-Control', 'no-store').send(text)
}
