import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Exchange } from './exchange.js'
import { type Fault, Faults } from './faults.js'
import { type Model, type ModelSays, schemaOf } from './model.js'
import { plainAnswer } from './plain.js'
import type { ChatRequest } from './rules.js'
import { ChatTypes } from './types.js'

export { FAULT_KINDS, type Fault, type FaultKind } from './faults.js'
export type { Model, ModelSays } from './model.js'
export type { ChatRequest } from './rules.js'

/** How a local chat API is started. */
export interface LocalChatOptions {
  port?: number
  key?: string
  models?: readonly string[]
  context?: number
}

/** A chat API of one's own on 127.0.0.1, as strict as OpenAI's in what it takes and answers; a test speaks for its model. */
export class LocalChat {
  readonly key: string
  readonly models: readonly string[]
  readonly faults = new Faults()
  /** What it was asked, in the order in which it came. */
  readonly requests: ChatRequest[] = []
  readonly headers: IncomingMessage['headers'][] = []
  /** What it was asked that does not fit, or said itself that does not; `stop` fails if there is any. */
  readonly complaints: string[] = []
  /** What speaks once nothing is left of what was to be said. */
  model: Model = plainAnswer
  private readonly next: (ModelSays | Model)[] = []
  private readonly server: Server
  private port = 0

  constructor({ key = 'local_key', models = ['local'], context = 128_000 }: LocalChatOptions = {}) {
    this.key = key
    this.models = models
    const holder = {
      key,
      models,
      context,
      faults: this.faults,
      types: new ChatTypes(),
      complaints: this.complaints,
      model: () => this.speaker(),
      asked: (request: ChatRequest, headers: IncomingMessage['headers']) => {
        this.requests.push(request)
        this.headers.push(headers)
      },
    }
    this.server = createServer((request, response) => {
      new Exchange(holder, request, response).run().catch((error: unknown) => {
        this.complaints.push(String(error instanceof Error ? error.stack : error))
        request.socket.destroy()
      })
    })
  }

  async start(port = 0): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject)
      this.server.listen(port, '127.0.0.1', resolve)
    })
    this.port = (this.server.address() as AddressInfo).port
    return this
  }

  /** Its address, for `AI_API_BASE`. */
  get base(): string {
    return `http://127.0.0.1:${this.port}/v1`
  }

  /** Has the model say this to the coming requests, one after the other; an object fills in the form that is asked for. */
  say(...says: (ModelSays | Model)[]): void {
    this.next.push(...says)
  }

  /** Has something go wrong with coming calls. */
  disturb(...faults: Fault[]): void {
    for (const fault of faults) this.faults.add(fault)
  }

  /** Forgets what it was asked and told to say, and what was to go wrong. */
  forget(): void {
    this.faults.clear()
    this.model = plainAnswer
    for (const list of [this.requests, this.headers, this.next]) list.length = 0
  }

  /** Hands over what it has to complain of, which is then no failure of `stop`. */
  takeComplaints(): string[] {
    return this.complaints.splice(0)
  }

  /** Ends it; rejects if it was asked what does not fit, or said otherwise than a real one would. */
  async stop(): Promise<void> {
    this.faults.clear()
    this.server.closeAllConnections()
    await new Promise<void>((resolve) => this.server.close(() => resolve()))
    if (this.complaints.length > 0) {
      throw new Error(`the local chat API complains:\n${[...new Set(this.complaints)].join('\n')}`)
    }
  }

  private speaker(): Model {
    const next = this.next.shift() ?? this.model
    return typeof next === 'function' ? next : () => next
  }
}

/** Starts a local chat API on a free port of 127.0.0.1. */
export function startLocalChat(options: LocalChatOptions = {}): Promise<LocalChat> {
  return new LocalChat(options).start(options.port)
}

/** What fills in the form that a request asks for. */
export const filling = (content: object): ModelSays => ({ content: JSON.stringify(content) })

export { schemaOf }
