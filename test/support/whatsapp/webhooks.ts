import { createHmac, randomUUID } from 'node:crypto'
import type { Description } from './description/index.js'
import type { BusinessNumber } from './world.js'

/** Where what happens is told, and what proves that it is told by Meta. */
export interface Endpoint {
  url: string
  appSecret: string
  verifyToken: string
}

/** How what waits is told, where a test wants something else than one after the other, each once. */
export interface Delivering {
  /** In any order. */
  shuffle?: boolean
  /** Each twice, as Meta does when an answer was lost. */
  twice?: boolean
  /** All in one request, as Meta does when much happens at once. */
  together?: boolean
}

interface Change {
  field: string
  value: object
}

interface Entry {
  id: string
  changes: Change[]
}

const TIMEOUT_MS = 10_000

/** Tells what happens to the endpoint, signed, until it was taken. */
export class Webhooks {
  readonly endpoint: Endpoint | undefined
  private readonly description: Description
  private readonly complaints: string[]
  private queue: Entry[] = []
  private sending: Promise<void> = Promise.resolve()

  constructor(description: Description, complaints: string[], endpoint: Endpoint | undefined) {
    this.description = description
    this.complaints = complaints
    this.endpoint = endpoint
  }

  /** Lets something that happened to a number wait for being told. */
  add(number: BusinessNumber, parts: object, field = 'messages'): void {
    const metadata = { display_phone_number: number.display.replace(/\D/g, ''), phone_number_id: number.id }
    this.queue.push({
      id: number.account,
      changes: [{ field, value: { messaging_product: 'whatsapp', metadata, ...parts } }],
    })
  }

  /** How much waits. */
  get waiting(): number {
    return this.queue.length
  }

  /** Tells all that waits; what was not taken waits again. */
  deliver({ shuffle = false, twice = false, together = false }: Delivering = {}): Promise<void> {
    const due = this.queue.splice(0)
    if (shuffle) due.sort(() => Math.random() - 0.5)
    const groups = together && due.length > 0 ? [due] : due.map((entry) => [entry])
    this.sending = this.sending.then(async () => {
      for (const entries of groups) {
        const taken = await this.tell(entries)
        if (twice) await this.tell(entries)
        if (!taken) this.queue.push(...entries)
      }
    })
    return this.sending
  }

  /** Shakes hands as Meta does when the address is put in. */
  async verify(token = this.endpoint?.verifyToken ?? ''): Promise<{ status: number; isEcho: boolean }> {
    const challenge = randomUUID()
    const url = new URL(this.endpoint!.url)
    url.search = String(
      new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.challenge': challenge, 'hub.verify_token': token }),
    )
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return { status: answer.status, isEcho: (await answer.text()) === challenge }
  }

  private async tell(entry: Entry[]): Promise<boolean> {
    const payload = { object: 'whatsapp_business_account', entry }
    const faults = this.description.faultsOf(payload, '/components/schemas/WebhookPayload')
    this.complaints.push(...faults.map((fault) => `a webhook: ${fault}`))
    if (!this.endpoint) return true
    const body = escapedLikeMeta(JSON.stringify(payload))
    try {
      const answer = await fetch(this.endpoint.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'facebookexternalua',
          'x-hub-signature-256': signature(body, this.endpoint.appSecret),
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      await answer.arrayBuffer()
      return answer.ok
    } catch {
      return false
    }
  }
}

/** The header that proves who sent a payload. */
export const signature = (body: string | Buffer, appSecret: string) =>
  `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`

/** Meta signs and sends JSON with escapes outside of ASCII, so that who reads it and writes it again signs something else. */
const escapedLikeMeta = (json: string) =>
  json.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
