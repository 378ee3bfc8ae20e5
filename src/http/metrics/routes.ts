import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Request, type Response, Router } from 'express'
import type { Registry } from 'prom-client'
import { hashCredential } from '../../shared/credential.js'
import { AppError } from '../../shared/errors.js'
import { getOnly } from '../methods.js'

/** `/metrics`, for who knows the token, if there is one. */
export function metricsRoutes(registry: Registry, token: string | undefined): Router {
  const router = Router()
  router.get('/metrics', async (request: Request, response: Response) => {
    if (!knows(request, token)) {
      response.setHeader('WWW-Authenticate', 'Bearer realm="fairlead-metrics"')
      throw new AppError('INVALID_API_KEY', 'Send the METRICS_TOKEN as Authorization: Bearer <token>.')
    }
    response
      .set('Cache-Control', 'no-store')
      .type(registry.contentType)
      .send(await registry.metrics())
  })
  getOnly(router, '/metrics')
  return router
}

/** The figures on a port of their own, where there is nothing else. */
export async function serveMetrics(registry: Registry, token: string | undefined, port: number, host: string) {
  const server = createServer((request, response) => {
    const status = request.url?.split('?')[0] !== '/metrics' ? 404 : !knows(request, token) ? 401 : 200
    if (status !== 200) return void response.writeHead(status).end()
    void registry.metrics().then((text) => {
      response.writeHead(200, { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' }).end(text)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { port: (server.address() as AddressInfo).port, stop }
}

/** Compares hashes, so that the time taken tells nothing of the token. */
function knows({ headers }: IncomingMessage, token: string | undefined): boolean {
  if (token === undefined) return true
  const given = /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]?.trim() ?? ''
  return timingSafeEqual(hashCredential(given), hashCredential(token))
}
