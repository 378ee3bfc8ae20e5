import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { ChatCompletion } from 'openai/resources/chat/completions'
import type { Fault, Faults } from './faults.js'
import { completionOf, type Model, promptTokens, schemaOf } from './model.js'
import { Page, Refusal } from './refusal.js'
import { type ChatRequest, checkRules } from './rules.js'
import type { ChatTypes } from './types.js'

/** What a server holds besides what it was asked. */
export interface Holder {
  key: string
  models: readonly string[]
  /** How many tokens a request may have with its answer. */
  context: number
  faults: Faults
  types: ChatTypes
  complaints: string[]
  /** What speaks for a model, as it is when it is asked. */
  model(): Model
  asked(request: ChatRequest, headers: IncomingMessage['headers']): void
}

const PATH = '/v1/chat/completions'
const ENDLESS_PART = 'x'.repeat(65_536)

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
    const bytes = await buffer(this.request)
    const fault = this.holder.faults.take()
    if (fault?.kind === 'reset') return void this.request.socket.destroy()
    try {
      if (fault) refuseBy(fault)
      const asked = this.read(bytes)
      this.holder.asked(asked, this.request.headers)
      const says = await this.holder.model()(asked)
      const completion = completionOf(asked, says, new Date())
      this.hold(asked, completion, says.unfitting ?? false)
      await this.answer(completion, fault)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { type, text } = error.answer
      this.response.writeHead(error.status, { 'Content-Type': type, ...error.headers })
      this.response.end(text)
    }
  }

  private read(bytes: Buffer): ChatRequest {
    const { method, url, headers } = this.request
    const { key, models, types, context, complaints } = this.holder
    const complain = (refusal: Refusal) => {
      complaints.push(refusal.message)
      return refusal
    }
    if (url !== PATH) throw complain(new Refusal(404, `Invalid URL (${method} ${url})`))
    if (method !== 'POST') throw complain(new Refusal(405, `Not allowed to ${method} on ${url}.`))
    if (headers.authorization !== `Bearer ${key}`) {
      throw new Refusal(401, 'Incorrect API key provided.', { code: 'invalid_api_key' })
    }
    if (!/^application\/json\b/.test(headers['content-type'] ?? '')) {
      throw complain(new Refusal(415, `Unsupported content type: '${headers['content-type']}'.`))
    }
    let asked: ChatRequest
    try {
      asked = JSON.parse(bytes.toString('utf8')) as ChatRequest
    } catch {
      throw complain(new Refusal(400, 'We could not parse the JSON body of your request.'))
    }
    const faults = types.faultsOf(asked, 'request')
    if (faults.length > 0) throw complain(new Refusal(400, faults.slice(0, 5).join('; ')))
    if (!models.includes(asked.model)) {
      throw new Refusal(404, `The model \`${asked.model}\` does not exist or you do not have access to it.`, {
        code: 'model_not_found',
      })
    }
    try {
      checkRules(asked)
    } catch (error) {
      throw error instanceof Refusal ? complain(error) : error
    }
    const wanted = promptTokens(asked) + (asked.max_completion_tokens ?? asked.max_tokens ?? 0)
    if (wanted > context) {
      const message = `This model's maximum context length is ${context} tokens. However, you requested ${wanted} tokens.`
      throw new Refusal(400, message, { code: 'context_length_exceeded', param: 'messages' })
    }
    return asked
  }

  /** Holds what this server says itself against what a real one would say. */
  private hold(asked: ChatRequest, completion: ChatCompletion, mayNotFit: boolean): void {
    const { types, complaints } = this.holder
    complaints.push(...types.faultsOf(completion, 'answer').map((fault) => `the answer: ${fault}`))
    const schema = schemaOf(asked)
    const [choice] = completion.choices
    if (!schema || mayNotFit || choice?.finish_reason !== 'stop' || choice.message.refusal !== null) return
    let content: unknown
    try {
      content = JSON.parse(choice.message.content ?? '')
    } catch {
      complaints.push('what the model says is no JSON, though a schema was asked for')
      return
    }
    complaints.push(...types.faultsOfContent(content, schema).map((fault) => `what the model says: ${fault}`))
  }

  private async answer(completion: ChatCompletion, fault?: Fault): Promise<void> {
    const { response } = this
    const text = fault?.kind === 'foreign' ? '{"ok":true}' : JSON.stringify(completion)
    if (fault?.kind === 'slow') await this.late(fault.delayMs ?? 200)
    response.setHeader('Content-Type', 'application/json')
    response.setHeader('x-request-id', completion.id)
    if (fault?.kind === 'malformed') return void response.end(text.slice(0, -2))
    if (fault?.kind === 'endless') return this.pour()
    if (fault?.kind === 'cut' || fault?.kind === 'stalled') {
      response.setHeader('Content-Length', String(Buffer.byteLength(text)))
      response.write(text.slice(0, text.length / 2), () => {
        if (fault.kind === 'cut') this.request.socket.destroy()
      })
      return
    }
    response.end(text)
  }

  /** Lets time pass, but not for a caller who is gone. */
  private async late(ms: number): Promise<void> {
    const gone = new AbortController()
    this.response.once('close', () => gone.abort())
    await delay(ms, undefined, { signal: gone.signal }).catch(() => {})
  }

  private pour(): void {
    const { response } = this
    const more = () => {
      while (!response.destroyed && response.write(ENDLESS_PART));
    }
    response.on('drain', more)
    response.write('{"id":"')
    more()
  }
}

/** Refuses in the ways in which no model is asked. */
function refuseBy({ kind, retryAfter = '2' }: Fault): void {
  const server = { type: 'server_error', code: null }
  switch (kind) {
    case 'busy':
      throw new Refusal(429, 'Rate limit reached for requests', {
        type: 'requests',
        code: 'rate_limit_exceeded',
        headers: { 'Retry-After': retryAfter },
      })
    case 'quota':
      throw new Refusal(429, 'You exceeded your current quota, please check your plan and billing details.', {
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      })
    case 'error':
      throw new Refusal(500, 'The server had an error while processing your request. Sorry about that!', server)
    case 'overloaded':
      throw new Refusal(503, 'The engine is currently overloaded, please try again later.', server)
    case 'gateway':
      throw new Page()
  }
}
