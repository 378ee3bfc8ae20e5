import { neverLeft } from '../../../shared/never-left.js'
import { retryAfterOf } from '../../../shared/retry-after.js'

/** An answer of the Graph API, or that none came. */
export type Answered =
  | { came: 'answer'; status: number; body: unknown; retryAfterMs?: number }
  /** Nothing left this machine: nobody was there, or nobody let a connection be made. */
  | { came: 'nobody'; reason: string }
  /** The call may have been heard: the connection broke, the time ran out, or the answer cannot be read. */
  | { came: 'nothing'; reason: string }

/** Calls the Graph API once; it never calls again by itself, since a message would arrive twice. */
export async function callGraph(
  url: string,
  token: string,
  { body, patienceMs }: { body?: object; patienceMs: number },
): Promise<Answered> {
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(body ? { 'Content-Type': 'application/json' } : {}),
  }
  try {
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      headers,
      body: body && JSON.stringify(body),
      // A token must not follow to wherever an answer points.
      redirect: 'error',
      signal: AbortSignal.timeout(patienceMs),
    })
    const text = await response.text()
    const retryAfterMs = retryAfterOf(response.headers.get('retry-after'))
    return { came: 'answer', status: response.status, body: parsed(text), ...(retryAfterMs && { retryAfterMs }) }
  } catch (error) {
    const { code = '', message } = ((error as Error).cause ?? error) as { code?: string; message: string }
    const reason = message || code
    return neverLeft(code) ? { came: 'nobody', reason } : { came: 'nothing', reason }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
