import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { Description } from './description/index.js'
import { GraphFailure, invalid, missing } from './errors.js'
import type { Fault, Faults } from './faults.js'
import type { Manners, Taken } from './messages.js'
import { type Call, ROUTES, type Route } from './routes.js'
import type { BusinessNumber, World } from './world.js'

/** What a server holds besides what it knows. */
export interface Holder {
  world: World
  faults: Faults
  description: Description
  complaints: string[]
  base: string
  window: Manners['window']
  /** Hears of what was taken, for the receipts. */
  took(taken: Taken): void
}

const VERSION = 'v23.0'
const ERROR = '/components/schemas/GraphAPIError'

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
    const url = new URL(this.request.url!, 'http://127.0.0.1')
    const call = `${this.request.method} ${url.pathname}`
    const bytes = await buffer(this.request)
    const fault = this.holder.faults.take(call)
    await delay(fault?.delayMs ?? 0)
    if (fault?.kind === 'reset_before') return void this.request.socket.destroy()
    try {
      if (fault) failBefore(fault)
      const number = this.authenticate()
      if (url.pathname.startsWith('/_media/')) return this.sendFile(number, url.pathname.slice('/_media/'.length))
      const [route, id] = this.routeOf(call, url.pathname)
      const body = await this.bodyOf(route, bytes)
      const file = body instanceof FormData ? await fileOf(body) : undefined
      const { world, base, window } = this.holder
      const manners: Manners = { window, complain: (what) => this.holder.complaints.push(what) }
      const taken = route.run({ world, number, id, query: url.searchParams, body, file, base, manners } satisfies Call)
      this.hold(
        taken.answer,
        `/paths/${escaped(taken.described ?? route.described)}/${route.verb.toLowerCase()}/responses/200`,
        call,
      )
      this.holder.took(taken)
      this.answer(200, taken.answer, fault)
    } catch (error) {
      if (!(error instanceof GraphFailure)) throw error
      const answer = error.answer(randomBytes(12).toString('base64url'))
      if (error.retryAfter !== undefined) this.response.setHeader('Retry-After', String(error.retryAfter))
      const faults = this.holder.description.faultsOf(answer, ERROR)
      this.holder.complaints.push(...faults.map((one) => `the refusal of ${call}: ${one}`))
      this.answer(error.status, answer)
    }
  }

  private authenticate(): BusinessNumber {
    const token = /^Bearer (.+)$/.exec(this.request.headers.authorization ?? '')?.[1]
    const number = [...this.holder.world.numbers.values()].find((one) => one.token === token)
    if (!number) throw new GraphFailure(190, 'Invalid OAuth access token - Cannot parse access token', { status: 401 })
    return number
  }

  private routeOf(call: string, pathname: string): [Route, string] {
    const [, version, rest] = /^\/([^/]+)(\/.*)$/.exec(pathname) ?? []
    if (version !== VERSION) this.holder.complaints.push(`${call}: this server knows ${VERSION} alone`)
    const route = ROUTES.find(({ verb, path }) => verb === this.request.method && path.test(rest ?? ''))
    if (version === VERSION && route) return [route, route.path.exec(rest!)![1]!]
    this.holder.complaints.push(`${call}: there is no such call`)
    throw missing(pathname)
  }

  private async bodyOf(route: Route, bytes: Buffer): Promise<unknown> {
    if (route.verb !== 'POST') return undefined
    const type = this.request.headers['content-type'] ?? ''
    if (type.startsWith('multipart/form-data')) {
      return new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
    }
    if (!type.startsWith('application/json')) throw invalid('the content type must be application/json')
    let body: unknown
    try {
      body = JSON.parse(bytes.toString('utf8'))
    } catch {
      throw invalid('the body is not JSON')
    }
    const schema = `/paths/${escaped(route.described)}/post/requestBody/content/application~1json/schema`
    const faults = this.holder.description.faultsOf(body, schema)
    if (faults.length === 0) return body
    this.holder.complaints.push(`${route.described} was asked what does not fit: ${faults[0]}`)
    throw invalid(faults.join('; '))
  }

  private hold(answer: object, at: string, call: string): void {
    const faults = this.holder.description.faultsOf(answer, `${at}/content/application~1json/schema`)
    this.holder.complaints.push(...faults.map((fault) => `the answer to ${call}: ${fault}`))
  }

  private sendFile(number: BusinessNumber, id: string): void {
    const media = this.holder.world.media.get(id)
    if (media?.numberId !== number.id) throw missing(id)
    this.response.setHeader('Content-Type', media.type)
    this.response.end(media.bytes)
  }

  private answer(status: number, answer: object, fault?: Fault): void {
    if (fault?.kind === 'reset_after') return void this.request.socket.destroy()
    const isLost = fault?.kind === 'error_after'
    const text = JSON.stringify(isLost ? internal().answer('x') : answer)
    this.response.statusCode = isLost ? 500 : status
    this.response.setHeader('Content-Type', 'application/json; charset=UTF-8')
    this.response.setHeader('facebook-api-version', VERSION)
    if (fault?.kind === 'truncated') {
      this.response.setHeader('Content-Length', String(Buffer.byteLength(text)))
      this.response.write(text.slice(0, text.length / 2), () => this.request.socket.destroy())
      return
    }
    this.response.end(text)
  }
}

const escaped = (path: string) => path.replaceAll('~', '~0').replaceAll('/', '~1')
const internal = () => new GraphFailure(131000, 'Something went wrong', { status: 500 })

/** Refuses in the ways in which nothing has happened yet. */
function failBefore({ kind, retryAfter = 2 }: Fault): void {
  if (kind === 'busy') throw new GraphFailure(130429, 'Rate limit hit', { status: 429, retryAfter })
  if (kind === 'error_before') throw internal()
  if (kind === 'refused') throw new GraphFailure(132015, 'Template is paused')
}

async function fileOf(form: FormData): Promise<{ type: string; bytes: Buffer } | undefined> {
  const file = form.get('file')
  if (form.get('messaging_product') !== 'whatsapp') throw invalid('messaging_product must be whatsapp')
  if (!(file instanceof Blob)) return undefined
  return { type: file.type, bytes: Buffer.from(await file.arrayBuffer()) }
}
