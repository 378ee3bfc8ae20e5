import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type NextFunction, type Request, type Response, Router } from 'express'

/** What the page may do: load what is served here, and call this server. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  'font-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const { resolve } = createRequire(import.meta.url)
const own = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const packaged = (name: string, file: string) => join(dirname(resolve(`${name}/package.json`)), file)

/** Where the page's files lie: ours beside this one, the libraries' as their packages ship them for browsers. */
const FILES = {
  'page.js': () => own('page.js'),
  'page.css': () => own('page.css'),
  'react.js': () => packaged('react', 'umd/react.production.min.js'),
  'react-dom.js': () => packaged('react-dom', 'umd/react-dom.production.min.js'),
  'graphiql.js': () => packaged('graphiql', 'graphiql.min.js'),
  'graphiql.css': () => packaged('graphiql', 'graphiql.min.css'),
}

/**
 * Serves a browser the page to try queries on, GraphiQL with a field for the key, from this server alone. Its libraries
 * are development dependencies: where they are not installed there is no page, as in production.
 */
export function pageRoutes(): Router {
  const router = Router()
  const html = readFileSync(own('index.html'))
  const files = Object.entries(FILES).map(([name, locate]) => [name, located(locate)] as const)
  if (files.some(([, file]) => file === undefined)) return router
  router.get('/', (request: Request, response: Response, next: NextFunction) => {
    if (!request.headers.accept?.includes('text/html')) return next()
    response.type('html').set({ 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-cache' }).send(html)
  })
  for (const [name, file] of files) {
    const content = readFileSync(file!)
    router.get(`/page/${name}`, (_request: Request, response: Response) => {
      response.type(name.split('.').pop()!).set('Cache-Control', 'no-cache').send(content)
    })
  }
  return router
}

function located(locate: () => string): string | undefined {
  try {
    return locate()
  } catch {
    return undefined
  }
}
