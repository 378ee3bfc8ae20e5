import type { Addressee, Checked, Line, MessagingChannel, Outgoing, Sent } from '../channel.js'
import { type Answered, callGraph } from './client.js'
import { errorIn, failureOf, inWords } from './failures.js'
import { bodyOf, MAX_TEXT } from './message.js'

/** The version of the Graph API that is spoken where the address names none. */
const VERSION = 'v23.0'
/** How long a call may take, in milliseconds. */
const PATIENCE_MS = 20_000
const CHECKED_FIELDS = 'id,display_phone_number,verified_name'

/** Sends through Meta's WhatsApp Business Cloud API. */
export class WhatsAppChannel implements MessagingChannel {
  readonly hasWindow = true
  private readonly base: string

  /** With the address of the Graph API, with a version at its end or without. */
  constructor(
    base: string,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    this.base = /\/v\d+\.\d+$/.test(base) ? base : `${base}/${VERSION}`
  }

  async send(line: Line, to: Addressee, message: Outgoing): Promise<Sent> {
    const wrong = message.kind === 'text' && wrongWith(message.text)
    if (wrong) return { outcome: 'refused', reason: wrong }
    const answered = await this.call(line, '/messages', bodyOf(to, message))
    if (answered.came === 'nobody') return { outcome: 'later', reason: unreachable(answered.reason) }
    if (answered.came === 'nothing') return { outcome: 'unknown', reason: `No answer of WhatsApp: ${answered.reason}` }
    const { status, body, retryAfterMs } = answered
    return (status === 200 && acceptedIn(body)) || failureOf(status, errorIn(body), retryAfterMs)
  }

  async check(line: Line): Promise<Checked> {
    const answered = await this.call(line, `?fields=${CHECKED_FIELDS}`)
    if (answered.came !== 'answer') return { outcome: 'later', reason: unreachable(answered.reason) }
    const { status, body } = answered
    const error = errorIn(body)
    if (status === 200 && !error && body !== undefined) return { outcome: 'connected', ...shownOf(body) }
    const reason = error ? inWords(error) : `WhatsApp answered ${status}.`
    const isRefused = status >= 400 && status < 500 && failureOf(status, error).outcome === 'refused'
    return { outcome: isRefused ? 'refused' : 'later', reason }
  }

  close(): void {}

  private call({ numberId, token }: Line, path: string, body?: object): Promise<Answered> {
    const url = `${this.base}/${encodeURIComponent(numberId)}${path}`
    return callGraph(url, token, { body, patienceMs: this.patienceMs })
  }
}

const unreachable = (reason: string) => `WhatsApp could not be reached: ${reason}`

function wrongWith(text: string): string | undefined {
  if (text.trim() === '') return 'The text is empty.'
  if ([...text].length > MAX_TEXT) return `The text has more than ${MAX_TEXT} characters.`
  return undefined
}

/** What an answer says of a message that was taken; undefined when it does not say so, as when half of it is missing. */
function acceptedIn(body: unknown): Sent | undefined {
  const { messages, contacts } = (body ?? {}) as {
    messages?: { id?: unknown }[]
    contacts?: { wa_id?: unknown; user_id?: unknown }[]
  }
  const messageId = messages?.[0]?.id
  if (typeof messageId !== 'string') return undefined
  const { wa_id: phone, user_id: userId } = contacts?.[0] ?? {}
  return {
    outcome: 'accepted',
    messageId,
    ...(typeof userId === 'string' ? { userId } : {}),
    ...(typeof phone === 'string' ? { phone } : {}),
  }
}

function shownOf(body: unknown): { address?: string; name?: string } {
  const { display_phone_number: address, verified_name: name } = body as Record<string, unknown>
  return {
    ...(typeof address === 'string' ? { address } : {}),
    ...(typeof name === 'string' ? { name } : {}),
  }
}
