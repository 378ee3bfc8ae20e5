import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { type NextFunction, type Request, type Response, Router } from 'express'
import { getOnly } from '../methods.js'
import { guides } from './guides.js'
import { toTryOut } from './reference.js'

/**
 * What the page may do: load what is served here, style itself, and call this server. Attributes that style one element,
 * which the library cannot do without, load nothing from elsewhere under the other rules.
 */
const policy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const own = (name: string) => fileURLToPath(new URL(name, import.meta.url))
/** Made by the build out of a development dependency, so that a production install needs none of it. */
const SCALAR = new URL('../../../dist/http/docs/scalar.js.gz', import.meta.url)

const FILES = ['before.js', 'page.js', 'page.css']

const isForBrowsers = ({ headers }: Request) => headers.accept?.includes('text/html') === true

/**
 * Serves the documentation, guides and reference in one page, from this server alone; `/` leads browsers there.
 * `documents` are the OpenAPI documents that are served under this host, by their paths.
 */
export function docsRoutes(documents: Readonly<Record<string, object>>): Router {
  const router = Router()
  const scalar = readFileSync(SCALAR)
  const files = FILES.map((name) => [name, readFileSync(own(name))] as const)
  const version = files.reduce((hash, [, content]) => hash.update(content), createHash('sha256').update(scalar))
  const html = readFileSync(own('index.html'), 'utf8').replaceAll('{{version}}', version.digest('hex').slice(0, 16))
  const shown = new Map([['/docs/guides.json', JSON.stringify(guides(documents))]])
  for (const [path, document] of Object.entries(documents))
    shown.set(`/docs${path}`, JSON.stringify(toTryOut(document)))
  const sources = JSON.stringify(sourcesOf(documents)).replaceAll('&', '&amp;').replaceAll('"', '&quot;')

  router.get('/', (request: Request, response: Response, next: NextFunction) => {
    if (!isForBrowsers(request)) return next()
    response.vary('Accept').redirect(302, '/docs')
  })
  router.get('/docs', (_request: Request, response: Response) => {
    const nonce = randomBytes(16).toString('base64')
    response.set({ 'Content-Security-Policy': policy(nonce), 'Cache-Control': 'no-store' })
    response.type('html').send(html.replaceAll('{{nonce}}', nonce).replace('{{sources}}', sources))
  })
  for (const [path, text] of shown) {
    router.get(path, (_request: Request, response: Response) => {
      response.type('application/json').set('Cache-Control', 'public, max-age=300').send(text)
    })
  }
  for (const [name, content] of files) {
    router.get(`/docs/page/${name}`, (_request: Request, response: Response) => {
      response.type(name.split('.').pop()!).set('Cache-Control', FOR_GOOD).send(content)
    })
  }
  router.get('/docs/page/scalar.js', (request: Request, response: Response) => {
    response.type('js').set('Cache-Control', FOR_GOOD).vary('Accept-Encoding')
    if (request.acceptsEncodings('gzip')) response.set('Content-Encoding', 'gzip').end(scalar)
    else response.send(gunzipSync(scalar))
  })
  getOnly(router, '/docs', ...shown.keys(), ...['scalar.js', ...FILES].map((name) => `/docs/page/${name}`))
  return router
}

/** What the page shows: the guides, and each API under the name of its document, such as `agency`. */
function sourcesOf(documents: Readonly<Record<string, object>>) {
  const apis = Object.entries(documents).map(([url, document]) => {
    const { title } = (document as { info: { title: string } }).info
    return { title, slug: title.toLowerCase().replaceAll(' ', '-'), url: `/docs${url}` }
  })
  return [{ title: 'Guides', slug: 'guides', url: '/docs/guides.json', default: true }, ...apis]
}

/** The page names files with their version, so that a new one has another address. */
const FOR_GOOD = 'public, max-age=31536000, immutable'
