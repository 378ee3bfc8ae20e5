import type { NextFunction, Request, Response, Router } from 'express'
import { AppError } from '../shared/errors.js'

/** Lets requests with these methods through, tells who asks which they are, and refuses the others; `why` may say the reason. */
export function allowing(methods: string, why = '') {
  const allowed = methods.split(', ')
  return (request: Request, response: Response, next: NextFunction): void => {
    if (request.method === 'OPTIONS') {
      response.writeHead(204, { Allow: methods, 'Content-Length': 0 }).end()
    } else if (!allowed.includes(request.method)) {
      response.setHeader('Allow', methods)
      throw new AppError('METHOD_NOT_ALLOWED', `${request.method} is not possible here${why}.`)
    } else next()
  }
}

/** Answers all other methods at paths that can only be read. */
export function getOnly(router: Router, ...paths: string[]): void {
  router.all(paths, allowing('GET, HEAD, OPTIONS'))
}
