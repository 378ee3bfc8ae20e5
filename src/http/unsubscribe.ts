import { type Request, type Response, Router } from 'express'

/** What can be done with the token of a mail. */
export interface Leaving {
  knows(token: string): Promise<boolean>
  /** False when the token is of no mail. */
  leave(token: string): Promise<boolean>
}

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/**
 * `/unsubscribe/:token`, where the readers of mails leave. Programs look at every address of a mail, so a GET only shows a
 * page with a button. Its POST, and that of a mail program (RFC 8058), leaves at once: it takes no cookie and nothing of
 * its body, and leads nowhere else.
 */
export function unsubscribeRoutes(leaving: Leaving): Router {
  const router = Router()
  const address = '/unsubscribe/:token'
  router.get(address, async (request: Request<{ token: string }>, response: Response) => {
    if (!(await leaving.knows(request.params.token))) return unknown(response)
    const form = '<form method="post"><button type="submit">Unsubscribe</button></form>'
    show(response, 200, 'Unsubscribe', `<p>Do you want no more mails from this sender?</p>${form}`)
  })
  router.post(address, async (request: Request<{ token: string }>, response: Response) => {
    request.resume()
    if (!(await leaving.leave(request.params.token))) return unknown(response)
    show(response, 200, 'Unsubscribed', '<p>You get no more mails from this sender.</p>')
  })
  return router
}

const unknown = (response: Response) =>
  show(response, 404, 'Nothing here', '<p>This address is incomplete, or was never one of ours.</p>')

function show(response: Response, status: number, title: string, body: string): void {
  const headers = { 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }
  const style = 'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}'
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">`
  const page = `<!doctype html><html lang="en"><head>${head}<title>${title}</title><style>${style}</style></head>`
  response.status(status).set(headers).type('html').send(`${page}<body><h1>${title}</h1>${body}</body></html>`)
}
