import type { Request, Response, Router } from 'express'
import { AppError } from '../shared/errors.js'

const METHODS = 'GET, HEAD, OPTIONS'

/** Answers all other methods at paths that can only be read. It stands behind the routes that read them. */
export function getOnly(router: Router, ...paths: string[]): void {
  router.all(paths, (request: Request, response: Response) => {
    response.setHeader('Allow', METHODS)
    if (request.method !== 'OPTIONS')
      throw new AppError('METHOD_NOT_ALLOWED', `${request.method} is not possible here.`)
    response.writeHead(204, { 'Content-Length': 0 }).end()
  })
}
