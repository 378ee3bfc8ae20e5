import { type Request, type Response, Router } from 'express'
import { readBytes } from '../rest/index.js'
import { allowing } from './methods.js'

/** An address at which another service tells what has happened. */
export interface Webhook {
  path: string
  /** The header with which the sender proves who it is. */
  signature: string
  /** Takes the bytes as they came, since the signature is of these. Throws AppError, and then they are sent again. */
  take(body: Buffer, signature: string): Promise<void>
}

/** Receives what other services tell; of the answer they look at the status. */
export function webhookRoutes({ path, signature, take }: Webhook): Router {
  const router = Router()
  router.post(path, async (request: Request, response: Response) => {
    await take(await readBytes(request, response), request.get(signature) ?? '')
    response.json({ received: true })
  })
  router.all(path, allowing('POST, OPTIONS'))
  return router
}
