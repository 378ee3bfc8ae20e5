import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { answerLocally } from './admin.js'
import { faultsOf, typeOf } from './answers/check.js'
import { catchUp, nextDue, runDue } from './engine/timetable.js'
import { Exchange, type Holder } from './exchange.js'
import { type Fault, Faults, type Gate, type Held } from './faults.js'
import { Keys } from './keys.js'
import { RateLimit } from './rate-limit.js'
import type { EndpointRecord } from './records.js'
import { makeEndpoint } from './resources/events.js'
import { type Delivering, Webhooks } from './webhooks.js'
import { type Settings, World } from './world.js'

export { FAULT_KINDS, type Fault, type FaultKind } from './faults.js'
export { signature } from './webhooks.js'

/** How a local Stripe is started. */
export interface LocalStripeOptions extends Partial<Settings> {
  port?: number
  secretKey?: string
  /** Its time goes as this clock does, and is moved apart from it; the machine's, if not said. */
  clock?: () => Date
  webhooks?: { url: string; secrets?: string[]; events?: string[] }[]
  /** `auto`: events are sent as they happen; `manual`: by `deliver` alone. */
  deliveries?: 'auto' | 'manual'
  /** Calls a second, of which more are answered with 429. */
  perSecond?: number
}

/** A Stripe of one's own on 127.0.0.1, as strict as the real one in what it takes and answers; its state is in memory. */
export class LocalStripe {
  readonly secretKey: string
  readonly world: World
  readonly faults = new Faults()
  readonly webhooks: Webhooks
  /** What it was asked and cannot do as Stripe does, or answered otherwise than Stripe would; `stop` fails if there is any. */
  readonly complaints: string[] = []
  private readonly server: Server
  private readonly automatic: boolean
  private port = 0
  private ticker?: NodeJS.Timeout

  constructor(options: LocalStripeOptions) {
    const { clock = () => new Date(), authentication = 'requires_action', afterRetries = 'past_due' } = options
    this.secretKey = options.secretKey ?? `sk_test_${randomBytes(24).toString('hex')}`
    this.world = new World({ authentication, afterRetries }, clock)
    this.webhooks = new Webhooks(this.world)
    this.automatic = options.deliveries !== 'manual'
    this.world.onEvent = (event) => {
      this.checkEvent(event.type, event.object)
      this.webhooks.add(event)
      if (this.automatic) setImmediate(() => void this.webhooks.deliver())
    }
    for (const { url, secrets, events } of options.webhooks ?? []) {
      makeEndpoint(this.world, { url, ...(secrets ? { secrets } : {}), ...(events ? { events } : {}) })
    }
    const holder: Holder = {
      world: this.world,
      keys: new Keys(),
      faults: this.faults,
      secretKey: this.secretKey,
      complaints: this.complaints,
      limit: new RateLimit(options.perSecond ?? Infinity),
    }
    this.server = createServer((request, response) => {
      const local = request.url!.startsWith('/_local/')
      if (!local) catchUp(this.world)
      const answered = local ? answerLocally(this, request, response) : new Exchange(holder, request, response).run()
      answered.catch((error: unknown) => {
        this.complaints.push(String(error instanceof Error ? error.stack : error))
        request.socket.destroy()
      })
    })
  }

  async start(port = 0): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject)
      this.server.listen(port, '127.0.0.1', () => {
        this.server.off('error', reject)
        resolve()
      })
    })
    this.port = (this.server.address() as AddressInfo).port
    return this
  }

  /** Its address, for `STRIPE_API_BASE`. */
  get base(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** A client of the `stripe` package that talks to it. */
  client(options: Stripe.StripeConfig = {}): Stripe {
    return new Stripe(this.secretKey, {
      host: '127.0.0.1',
      port: this.port,
      protocol: 'http',
      maxNetworkRetries: 0,
      telemetry: false,
      ...options,
    })
  }

  /** Has something go wrong with coming calls. */
  disturb(fault: Fault): void {
    this.faults.add(fault)
  }

  /** Has the next call that fits stand still before its effect, or with its answer, until it is released. */
  hold(at: Gate['at'], match: Partial<Pick<Fault, 'path' | 'customer' | 'kind'>>): Held {
    return this.faults.hold(at, match)
  }

  /** Ends what goes wrong, and lets go of what stands still. */
  calm(): void {
    this.faults.clear()
  }

  /** Nobody listens any more at its address, until it comes back. */
  goDown(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve())
      this.server.closeAllConnections()
    })
  }

  async comeBack(): Promise<void> {
    await this.start(this.port)
  }

  /** The standing endpoint of an address; with two `secrets`, while they are rotated, both sign. */
  endpoint(url: string): EndpointRecord | undefined {
    return [...this.world.endpoints.values()].find((endpoint) => endpoint.url === url)
  }

  /** Lets time go by, in milliseconds; what is due happens at its own moment, and its events are sent then. */
  async advance(ms: number): Promise<void> {
    await this.moveTo(new Date(this.world.time + ms))
  }

  /** Moves its time to a moment, in the same way. */
  async moveTo(moment: Date): Promise<void> {
    const target = moment.getTime()
    for (;;) {
      if (this.automatic) await this.webhooks.deliver()
      const due = nextDue(this.world)
      const hook = this.automatic ? this.webhooks.nextAt : undefined
      const next = Math.min(due === undefined ? Infinity : due.at * 1000, hook ?? Infinity)
      if (next > target) break
      if (next > this.world.time) this.world.setTime(next)
      if (due && due.at * 1000 <= this.world.time) runDue(this.world, due)
    }
    this.world.setTime(target)
  }

  /** Sends all events that wait, also those whose next attempt is not due. */
  deliver(how?: Delivering): Promise<void> {
    return this.webhooks.deliver(true, how)
  }

  /** Lets what is due happen as real time goes by; for one that runs by itself. */
  keepTime(everyMs = 1000): void {
    this.ticker = setInterval(() => {
      catchUp(this.world)
      void this.webhooks.deliver()
    }, everyMs)
  }

  /** What was collected of a customer and not given back, in the smallest unit. */
  collected(customer: string): number {
    const paid = [...this.world.charges.values()].filter(
      (charge) => charge.customer === customer && charge.status === 'succeeded',
    )
    return paid.reduce((sum, { amount, refunded }) => sum + amount - refunded, 0)
  }

  /** How many invoices of a customer may still be collected: open ones, and drafts that become so by themselves. */
  open(customer: string): number {
    const own = [...this.world.invoices.values()].filter((invoice) => invoice.customer === customer)
    return own.filter(
      ({ status, autoAdvance }) =>
        status === 'open' || status === 'uncollectible' || (status === 'draft' && autoAdvance),
    ).length
  }

  /** Hands over what it has to complain of, which is then no failure of `stop`. */
  takeComplaints(): string[] {
    return this.complaints.splice(0)
  }

  /** Ends it; rejects if it was asked what it does not know, or answered otherwise than Stripe would. */
  async stop(): Promise<void> {
    clearInterval(this.ticker)
    this.calm()
    if (this.server.listening) await this.goDown()
    await this.webhooks.deliver()
    if (this.complaints.length > 0)
      throw new Error(`the local Stripe complains:\n${[...new Set(this.complaints)].join('\n')}`)
  }

  private checkEvent(type: string, object: Record<string, unknown>): void {
    const name = typeOf(object)
    this.complaints.push(...(name ? faultsOf(object, { object: name }, type) : [`${type} is about an unknown object`]))
  }
}

/** Starts a local Stripe on a free port of 127.0.0.1. */
export function startLocalStripe(options: LocalStripeOptions = {}): Promise<LocalStripe> {
  return new LocalStripe(options).start(options.port)
}
