import type { ApolloServer } from '@apollo/server'
import { expressMiddleware } from '@as-integrations/express5'
import express, { type NextFunction, type Request, type Response, Router } from 'express'
import type { Context } from '../database/index.js'
import { presentable } from '../graphql/index.js'
import { type Admitted, MAX_BODY_BYTES, parseQuery, type QueryParameters, send } from '../rest/index.js'
import { AppError } from '../shared/errors.js'
import { requestIdOf } from './request-id.js'

export interface GraphqlRouteOptions {
  apollo: ApolloServer<Context>
  admit: (request: Request, response: Response, query: QueryParameters, requestId: string) => Promise<Admitted>
  log: (error: unknown, requestId: string) => void
}

const admitted = new WeakMap<Request, Context>()

/** Mounts /graphql: the caller is known and counted before the body is read, as for REST. */
export function graphqlRoutes({ apollo, admit, log }: GraphqlRouteOptions): Router {
  const router = Router()
  router.options('/', (_request: Request, response: Response) => {
    response.writeHead(204, { Allow: 'GET, POST, OPTIONS', 'Content-Length': 0 }).end()
  })
  // Helmet's policy would leave the page to try queries on without its scripts; what else is answered here is JSON.
  router.use((_request: Request, response: Response, next: NextFunction) => {
    response.removeHeader('Content-Security-Policy')
    next()
  })
  router.use(async (request: Request, response: Response, next: NextFunction) => {
    const { context, exceeded } = await admit(
      request,
      response,
      parseQuery(request.url.split('?')[1] ?? ''),
      requestIdOf(request),
    )
    if (exceeded) throw exceeded
    admitted.set(request, context)
    next()
  })
  router.use(express.json({ limit: MAX_BODY_BYTES }))
  router.use(allowEmptyBody)
  router.use(expressMiddleware(apollo, { context: async ({ req }) => admitted.get(req)! }))
  router.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    if (response.headersSent) return
    const { code, message, extra } = presentable(bodyError(error), (e) => log(e, requestIdOf(request)))
    if (typeof extra.retryAfter === 'number') response.setHeader('Retry-After', extra.retryAfter)
    send(response, 200, { errors: [{ message, extensions: { code, ...extra } }] })
  })
  return router
}

/** The body parser leaves nothing where there is no JSON, and Apollo wants to see something. */
function allowEmptyBody(request: Request, _response: Response, next: NextFunction): void {
  request.body ??= {}
  next()
}

function bodyError(error: unknown): unknown {
  if (error instanceof AppError) return error
  const { status = 500 } = error as { status?: number }
  if (status === 413) {
    return new AppError('PAYLOAD_TOO_LARGE', `A body may have ${MAX_BODY_BYTES} bytes at most.`)
  }
  if (status === 415) return new AppError('UNSUPPORTED_MEDIA_TYPE', 'This encoding of the body is not supported.')
  if (status < 500) return new AppError('VALIDATION_ERROR', 'The body is not well-formed JSON in UTF-8.')
  return error
}
