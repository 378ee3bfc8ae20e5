import { setTimeout as delay } from 'node:timers/promises'
import { type Request, type Response, Router } from 'express'
import type { Database } from '../database/index.js'
import { getOnly } from './methods.js'

// Below the patience of whoever asks: a database that says nothing is no database.
const PATIENCE_MS = 2000

/** `/healthz`: the process answers. `/readyz`: it can serve, so the database answers and no shutdown has begun. */
export function healthRoutes(database: Database, isStopping: () => boolean): Router {
  const router = Router()
  const answers = probe(database)
  router.get('/healthz', (_request: Request, response: Response) => void response.json({ status: 'ok' }))
  router.get('/readyz', async (_request: Request, response: Response) => {
    const ready = !isStopping() && (await answers())
    response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : isStopping() ? 'stopping' : 'no database' })
  })
  getOnly(router, '/healthz', '/readyz')
  return router
}

/** Asks the database; at most one question is under way, so that a silent database does not collect them. */
function probe({ requests }: Database): () => Promise<boolean> {
  let asked: Promise<boolean> | undefined
  return () => {
    asked ??= requests.answers().finally(() => {
      asked = undefined
    })
    return Promise.race([asked, delay(PATIENCE_MS, false, { ref: false })])
  }
}
