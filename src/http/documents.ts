import { type Request, type Response, Router } from 'express'
import { getOnly } from './methods.js'

/** Serves documents that never change while the process runs, such as the OpenAPI ones, each under its path. */
export function documentRoutes(documents: Readonly<Record<string, object>>): Router {
  const router = Router()
  for (const [path, document] of Object.entries(documents)) {
    const text = JSON.stringify(document)
    router.get(path, (_request: Request, response: Response) => {
      response.type('application/json').set('Cache-Control', 'public, max-age=300').send(text)
    })
  }
  getOnly(router, ...Object.keys(documents))
  return router
}
