import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { faultsOf } from './answers/check.js'
import { expand } from './answers/expand.js'
import { StripeFailure } from './errors.js'
import type { FaultKind, Faults } from './faults.js'
import { type Form, readForm } from './form.js'
import type { Given, Keys } from './keys.js'
import { readParams } from './params.js'
import type { RateLimit } from './rate-limit.js'
import { refuseUnheeded, routeOf } from './routes.js'
import { type Endpoint, type Kind, stripeTypes } from './types/schema.js'
import type { World } from './world.js'

/** What a server holds besides what it knows of its records. */
export interface Holder {
  world: World
  keys: Keys
  faults: Faults
  secretKey: string
  /** What it was asked and cannot do as Stripe does, or answered otherwise than Stripe. */
  complaints: string[]
  limit: RateLimit
}

interface Asked {
  verb: string
  path: string
  form: Form
  key: string | undefined
  requestId: string
}

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

/** One call and its answer. */
export class Exchange {
  private readonly holder: Holder
  private readonly request: IncomingMessage
  private readonly response: ServerResponse

  constructor(holder: Holder, request: IncomingMessage, response: ServerResponse) {
    this.holder = holder
    this.request = request
    this.response = response
  }

  async run(): Promise<void> {
    const { world } = this.holder
    const requestId = world.id('req').replace('_1', '_').slice(0, 18)
    const url = new URL(this.request.url!, 'http://127.0.0.1')
    const verb = this.request.method!
    try {
      const body = await text(this.request)
      this.authenticate()
      if (this.holder.limit.isPassed()) throw tooMany()
      this.checkHeaders(body)
      const form = readForm([url.search.slice(1), body].filter((part) => part !== '').join('&'))
      const header = this.request.headers['idempotency-key']
      // Only calls that change something heed a key.
      const key = verb === 'POST' && typeof header === 'string' ? header : undefined
      await this.answer({ verb, path: url.pathname, form, key, requestId })
    } catch (error) {
      if (!(error instanceof StripeFailure)) throw error
      this.complain(error, `${verb} ${url.pathname}`)
      this.send(this.failed(error, requestId))
    }
  }

  private authenticate(): void {
    const given = /^Bearer (.*)$/.exec(this.request.headers.authorization ?? '')?.[1]
    if (given === this.holder.secretKey) return
    const message = given
      ? `Invalid API Key provided: ${given.slice(0, 8)}${'*'.repeat(Math.max(0, given.length - 12))}${given.slice(-4)}`
      : "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY')."
    throw new StripeFailure(message, { status: 401, kept: false })
  }

  private checkHeaders(body: string): void {
    const version = this.request.headers['stripe-version']
    if (version !== stripeTypes.apiVersion) {
      throw new StripeFailure(
        `Invalid Stripe API version: ${version}. This server knows ${stripeTypes.apiVersion} alone.`,
        { kept: false },
      )
    }
    const type = this.request.headers['content-type'] ?? ''
    if (body !== '' && !type.startsWith(FORM_TYPE)) {
      throw new StripeFailure(`Invalid request (check that your POST content type is ${FORM_TYPE}).`, { kept: false })
    }
  }

  private async answer(asked: Asked): Promise<void> {
    const { world, keys, faults } = this.holder
    const { verb, path, key } = asked
    const call = { verb, path, content: canonical(asked.form) }
    const befallen = { verb, path, key, customer: customerOf(world, asked) }
    if (faults.forbids(befallen)) throw forbidden()
    const given = key === undefined ? undefined : keys.begin(key, call, world.time)
    const fault = faults.take({ ...befallen, repeats: given !== undefined })
    try {
      await delay(fault?.delayMs ?? 0)
      if (fault?.gate?.at === 'before') await fault.gate.pass()
      const first = given ?? this.settle(asked, fault?.kind)
      if (first === undefined) return
      if (fault?.gate?.at === 'after') await fault.gate.pass()
      this.send(first, given && asked.requestId, fault?.kind)
    } catch (error) {
      if (key !== undefined && !given) keys.forget(key)
      throw error
    }
  }

  /** Does what is asked, unless a fault comes before it; undefined when the connection breaks before. */
  private settle(asked: Asked, fault: FaultKind | undefined): Given | undefined {
    const { keys } = this.holder
    if (fault === 'reset_before') {
      if (asked.key !== undefined) keys.forget(asked.key)
      this.request.socket.destroy()
      return undefined
    }
    const before = fault && BEFORE_API[fault]
    if (before) throw before()
    const instead = fault && INSTEAD[fault]
    const answer = instead ? this.failed(instead(), asked.requestId) : this.perform(asked)
    const told = fault === 'error_after' ? this.failed(broken(), asked.requestId) : answer
    if (asked.key !== undefined) keys.keep(asked.key, told)
    return told
  }

  private perform(asked: Asked): Given {
    const { world } = this.holder
    world.request = { id: asked.requestId, idempotencyKey: asked.key ?? null }
    try {
      const at = routeOf(asked.verb, asked.path)
      if (!at) throw unrecognized(asked)
      const { endpoint, handler } = at.route
      const params = readParams(asked.form, endpoint.params)
      refuseUnheeded(handler, params)
      const answer = structuredClone(handler.run({ world, path: at.path, params }))
      expand(world, answer, (params.expand as string[] | undefined) ?? [])
      this.check(endpoint, answer, asked)
      return { status: 200, text: JSON.stringify(answer, null, 2), requestId: asked.requestId }
    } catch (error) {
      if (!(error instanceof StripeFailure) || !error.kept) throw error
      return this.failed(error, asked.requestId)
    } finally {
      world.request = { id: null, idempotencyKey: null }
    }
  }

  /** An answer that Stripe would not give is this server's fault, and nobody shall build on it. */
  private check({ answer: { one, list, search } }: Endpoint, answer: unknown, { verb, path }: Asked): void {
    const kind: Kind =
      one ?? (list ? { list } : { fields: searchOf(search!), required: ['object', 'data', 'has_more', 'url'] })
    // Events are a union of hundreds, told apart by what is inside.
    const faults = JSON.stringify(kind).includes('"Event"') ? [] : faultsOf(answer, kind, `${verb} ${path}`)
    this.holder.complaints.push(...faults)
    if (faults.length > 0) throw new StripeFailure(faults.join('; '), { status: 501, type: 'api_error' })
  }

  private failed(failure: StripeFailure, requestId: string): Given {
    const body = failure.body(requestId, this.holder.world.now)
    return { status: failure.status, text: JSON.stringify(body, null, 2), requestId }
  }

  private complain(failure: StripeFailure, call: string): void {
    const unknown = failure.status === 501 || failure.message.startsWith('Unrecognized request URL')
    if (unknown) this.holder.complaints.push(`${call}: ${failure.message}`)
  }

  private send({ status, text, requestId }: Given, replayedAs?: string, fault?: FaultKind): void {
    const { response, request } = this
    if (fault?.startsWith('reset')) {
      request.socket.destroy()
      return
    }
    response.statusCode = status
    response.setHeader('Content-Type', JSON_TYPE)
    response.setHeader('Request-Id', replayedAs ?? requestId)
    response.setHeader('Stripe-Version', stripeTypes.apiVersion)
    const key = request.headers['idempotency-key']
    if (key !== undefined) response.setHeader('Idempotency-Key', key)
    if (key !== undefined) response.setHeader('Original-Request', requestId)
    if (replayedAs !== undefined) response.setHeader('Idempotent-Replayed', 'true')
    if (status === 429) response.setHeader('Stripe-Rate-Limited-Reason', 'global-rate')
    response.setHeader('Content-Length', Buffer.byteLength(text))
    if (fault === 'truncated') {
      response.write(text.slice(0, text.length / 2), () => request.socket.destroy())
      return
    }
    response.end(text)
  }
}

const tooMany = () =>
  new StripeFailure(
    'Request rate limit exceeded. You can learn more about rate limits here https://docs.stripe.com/rate-limits.',
    { status: 429, code: 'rate_limit', kept: false },
  )

const forbidden = () =>
  new StripeFailure('The provided key does not have the required permissions for this endpoint.', {
    status: 403,
    kept: false,
  })

const broken = () => new StripeFailure('An unknown error occurred', { status: 500, type: 'api_error' })

/** Faults that are answered before the API, and kept under no key. */
const BEFORE_API: Partial<Record<FaultKind, () => StripeFailure>> = {
  busy: tooMany,
  unavailable: () =>
    new StripeFailure('Stripe is temporarily unavailable.', { status: 503, type: 'api_error', kept: false }),
}

/** Faults that stand in the place of the effect. */
const INSTEAD: Partial<Record<FaultKind, () => StripeFailure>> = {
  error_before: broken,
  refused: () => new StripeFailure('Your account cannot currently do this.', { code: 'account_invalid' }),
}

const unrecognized = ({ verb, path }: Asked) =>
  new StripeFailure(
    `Unrecognized request URL (${verb}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`,
    { status: 404, kept: false },
  )

const searchOf = (kind: Kind): Record<string, Kind> => ({
  object: { is: 'search_result' },
  data: { array: kind },
  has_more: 'boolean',
  next_page: { type: 'string', nullable: true },
  url: 'string',
})

/** A form in one order, so that equal ones are equal texts. */
function canonical(form: unknown): string {
  if (typeof form !== 'object' || form === null) return JSON.stringify(form)
  const entries = Object.entries(form).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${canonical(value)}`).join(',')}}`
}

/** Whose call it is: the customer that it names, or whose is what it names. */
function customerOf(world: World, { path, form }: Asked): string | undefined {
  if (typeof form.customer === 'string') return form.customer
  for (const part of path.split('/')) {
    if (part.startsWith('cus_')) return part
    const object = /^[a-z]+_/.test(part) ? world.answerOf(part) : undefined
    if (typeof object?.customer === 'string') return object.customer
  }
  const named = form.payment_intent ?? form.charge ?? form.invoice
  const object = typeof named === 'string' ? world.answerOf(named) : undefined
  return object?.customer as string | undefined
}
