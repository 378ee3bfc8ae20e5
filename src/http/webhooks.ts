import { type Request, type Response, Router } from 'express'
import { MAX_BODY_BYTES, readBytes, readerOf } from '../rest/index.js'
import { AppError } from '../shared/errors.js'
import { allowing } from './methods.js'

/** An address at which another service tells what has happened. */
export interface Webhook {
  path: string
  /** The header with which the sender proves who it is. */
  signature: string
  /** How large a body may be, where it is not as usual. */
  maxBytes?: number
  /** Takes the bytes as they came, since the signature is of these. Throws AppError, and then they are sent again. */
  take(body: Buffer, signature: string): Promise<void>
  /** What a GET is answered with by which the sender finds out whether the address is ours; undefined if it may not ask. */
  shakeHands?(query: Readonly<Record<string, unknown>>): string | undefined
}

/** Receives what other services tell; of the answer they look at the status. */
export function webhookRoutes({ path, signature, maxBytes = MAX_BODY_BYTES, take, shakeHands }: Webhook): Router {
  const router = Router()
  const read = readerOf(maxBytes)
  router.post(path, async (request: Request, response: Response) => {
    await take(await readBytes(request, response, read), request.get(signature) ?? '')
    response.json({ received: true })
  })
  if (shakeHands) {
    router.get(path, (request: Request, response: Response) => {
      const answer = shakeHands(request.query)
      if (answer === undefined) throw new AppError('INSUFFICIENT_PERMISSIONS', 'The verify token is not right.')
      response.type('text/plain').send(answer)
    })
  }
  router.all(path, allowing(shakeHands ? 'GET, HEAD, POST, OPTIONS' : 'POST, OPTIONS'))
  return router
}
