import { type Request, type Response, Router } from 'express'
import type { Database } from '../database/index.js'

/** `/healthz`: the process answers. `/readyz`: it can serve, so the database answers and no shutdown has begun. */
export function healthRoutes(database: Database, isStopping: () => boolean): Router {
  const router = Router()
  router.get('/healthz', (_request: Request, response: Response) => void response.json({ status: 'ok' }))
  router.get('/readyz', async (_request: Request, response: Response) => {
    const ready = !isStopping() && (await answers(database))
    response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : isStopping() ? 'stopping' : 'no database' })
  })
  return router
}

async function answers(database: Database): Promise<boolean> {
  try {
    await database.pool.query('select 1')
    return true
  } catch {
    return false
  }
}
