import { createHmac, randomBytes } from 'node:crypto'
import { eventAnswer } from './answers/events.js'
import type { EndpointRecord, EventRecord } from './records.js'
import type { World } from './world.js'

interface Delivery {
  endpoint: EndpointRecord
  event: EventRecord
  attempts: number
  /** When it is due, in milliseconds of the server's time. */
  at: number
}

/** How deliveries are made, where a test wants something else than one after the other, each once. */
export interface Delivering {
  /** In any order: Stripe promises none. */
  shuffle?: boolean
  /** Each twice: Stripe promises no once. */
  twice?: boolean
}

const MINUTE = 60_000
/** How long after a failure the next attempt comes; Stripe goes on for three days. */
const RETRIES = [5, 30, 120, 300, 600, 720, 720, 720, 720].map((minutes) => minutes * MINUTE)
const TIMEOUT_MS = 10_000

/** Sends events to the endpoints that want them, signed, until each has taken its own (docs.stripe.com/webhooks). */
export class Webhooks {
  private readonly world: World
  private queue: Delivery[] = []
  private sending: Promise<void> = Promise.resolve()

  constructor(world: World) {
    this.world = world
  }

  /** Lets an event wait for its deliveries. */
  add(event: EventRecord): void {
    for (const endpoint of this.world.endpoints.values()) {
      if (!endpoint.enabled || !wants(endpoint, event.type)) continue
      this.queue.push({ endpoint, event, attempts: 0, at: this.world.time })
      event.waiting += 1
    }
    if (event.type === 'invoice.created' && event.waiting === 0) this.tookInvoice(event)
  }

  /** Deliveries that wait. */
  get waiting(): number {
    return this.queue.length
  }

  /** When the next delivery is due, in milliseconds of the server's time. */
  get nextAt(): number | undefined {
    return this.queue.length === 0 ? undefined : Math.min(...this.queue.map(({ at }) => at))
  }

  /** Sends what is due, or all that waits; resolves when it has been sent and what was sent before too. */
  deliver(all = false, { shuffle = false, twice = false }: Delivering = {}): Promise<void> {
    const due = this.queue.filter(({ at }) => all || at <= this.world.time)
    this.queue = this.queue.filter((delivery) => !due.includes(delivery))
    const order = shuffle
      ? due
          .map((one) => ({ one, at: Math.random() }))
          .sort((a, b) => a.at - b.at)
          .map(({ one }) => one)
      : due
    this.sending = this.sending.then(async () => {
      for (const delivery of order) {
        if (twice) await this.send(delivery)
        await this.attempt(delivery)
      }
    })
    return this.sending
  }

  private async attempt(delivery: Delivery): Promise<void> {
    delivery.attempts += 1
    if (await this.send(delivery)) {
      delivery.event.waiting -= 1
      if (delivery.event.type === 'invoice.created') this.tookInvoice(delivery.event)
      return
    }
    const wait = RETRIES[delivery.attempts - 1]
    if (wait === undefined || !this.world.endpoints.has(delivery.endpoint.id)) return
    delivery.at = this.world.time + wait
    this.queue.push(delivery)
  }

  private tookInvoice({ object }: EventRecord): void {
    const invoice = this.world.invoices.get(object.id as string)
    if (invoice) invoice.hooksDeliveredAt = this.world.now
  }

  private async send({ endpoint, event }: Delivery): Promise<boolean> {
    const payload = JSON.stringify(eventAnswer(event), null, 2)
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      'stripe-signature': signature(payload, endpoint.secrets),
    }
    try {
      const answer = await fetch(endpoint.url, {
        method: 'POST',
        headers,
        body: payload,
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

const wants = ({ events }: EndpointRecord, type: string) => events.includes('*') || events.includes(type)

/**
 * Signs a payload with the machine's time, since that is what its receiver compares with; with each of several secrets while
 * one is rotated. `v0` is no signature: Stripe sends one like it in test mode.
 */
export function signature(
  payload: string,
  secrets: readonly string[],
  seconds = Math.floor(Date.now() / 1000),
): string {
  const signed = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${seconds}.${payload}`).digest('hex')}`,
  )
  return [`t=${seconds}`, ...signed, `v0=${randomBytes(32).toString('hex')}`].join(',')
}
