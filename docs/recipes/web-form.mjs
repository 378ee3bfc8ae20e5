// A web page with a form that makes an opportunity. The key stays on this server; the browser never sees it.
// FAIRLEAD_URL=… FAIRLEAD_API_KEY=… PORT=8080 node docs/recipes/web-form.mjs
import { createServer } from 'node:http'
import { Fairlead, FairleadError } from '@fairlead/client'

const fairlead = new Fairlead({ baseUrl: process.env.FAIRLEAD_URL, apiKey: process.env.FAIRLEAD_API_KEY })

const escaped = (text) => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`)
const page = (message, entry = crypto.randomUUID()) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Contact us</title>
<h1>Contact us</h1><p role="status">${escaped(message)}</p>
<form method="post"><input type="hidden" name="entry" value="${escaped(entry)}">
<p><label>Name <input name="name" required maxlength="255"></label>
<p><label>Email <input name="email" type="email" required></label>
<p><label>Company <input name="company"></label>
<p><label>What is it about? <textarea name="notes"></textarea></label>
<p><button>Send</button></form></html>`

/** The form's entry has a name of its own, so that a double click makes one opportunity. */
async function submit(form) {
  const { entry, ...fields } = Object.fromEntries(form)
  try {
    await fairlead.createOpportunity({ ...fields, source: 'other' }, { idempotencyKey: `form-${entry}` })
    return [200, page('Thank you, we will be in touch.')]
  } catch (error) {
    if (!(error instanceof FairleadError) || error.status !== 400) throw error
    return [
      400,
      page(`Please correct: ${error.details.map(({ field, message }) => `${field} ${message}`).join(', ')}`, entry),
    ]
  }
}

const server = createServer(async (request, response) => {
  const send = (status, html) => response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8' }).end(html)
  if (request.method !== 'POST') return send(200, page(''))
  let body = ''
  for await (const chunk of request) {
    body += chunk
    if (body.length > 50_000) return send(413, page('That is too long.'))
  }
  const [status, html] = await submit(new URLSearchParams(body)).catch((error) => {
    console.error(error)
    return [503, page('That did not work. Please try again.')]
  })
  send(status, html)
})
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${server.address().port}`),
)
