import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Description } from './description/index.js'
import { Exchange, type Holder } from './exchange.js'
import { type Fault, Faults } from './faults.js'
import type { Manners, Taken } from './messages.js'
import { type Delivering, type Endpoint, Webhooks } from './webhooks.js'
import { type BusinessNumber, type LocalTemplate, type Person, type SentMessage, World } from './world.js'

export { FAULT_KINDS, type Fault, type FaultKind } from './faults.js'
export { signature } from './webhooks.js'
export type { BusinessNumber, Person, SentMessage } from './world.js'

/** How a local WhatsApp is started. */
export interface LocalWhatsAppOptions {
  port?: number
  clock?: () => Date
  webhook?: Partial<Endpoint> & { url: string }
  /** `auto`: what happens is told as it happens; `manual`: by `deliver` alone. */
  deliveries?: 'auto' | 'manual'
  /** Whether what was sent is delivered, and that is told. */
  receipts?: boolean
  window?: Manners['window']
}

/** Where a message goes besides its number, and what it refers to. */
export interface Saying {
  replyTo?: string
  group?: string
  /** Seconds of its time; now, if not said. */
  timestamp?: string
}

/** How a group is named. */
export interface Naming {
  /** Its id, where it is not to be made up. */
  id?: string
  /** Whether that fails. */
  fails?: boolean
  /** Seconds of its time; now, if not said. */
  timestamp?: string
}

const NOT_NAMED = { code: 131201, title: 'Invalid group subject', message: 'Invalid group subject' }

/** A WhatsApp of one's own on 127.0.0.1, as strict as Meta's Cloud API in what it takes, answers and tells. */
export class LocalWhatsApp {
  readonly world: World
  readonly faults = new Faults()
  readonly webhooks: Webhooks
  /** What it was asked that does not fit Meta's description, or said itself that does not; `stop` fails if there is any. */
  readonly complaints: string[] = []
  /** Hears of each message that was sent. */
  onSent: (message: SentMessage) => void = () => {}
  private readonly server: Server
  private readonly automatic: boolean
  private readonly receipts: boolean
  private port = 0

  constructor({ clock = () => new Date(), webhook, ...options }: LocalWhatsAppOptions) {
    const description = new Description()
    this.world = new World(clock)
    this.automatic = options.deliveries !== 'manual'
    this.receipts = options.receipts ?? true
    const endpoint = webhook && { appSecret: 'local_app_secret', verifyToken: 'local_verify_token', ...webhook }
    this.webhooks = new Webhooks(description, this.complaints, endpoint)
    const whatsapp = this
    const holder: Holder = {
      world: this.world,
      faults: this.faults,
      description,
      complaints: this.complaints,
      get base() {
        return whatsapp.base
      },
      window: options.window ?? 'answer',
      took: (taken) => this.took(taken),
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

  /** Its address, for `WHATSAPP_API_BASE`. */
  get base(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** A number of a business, with the token that opens it. */
  addNumber({
    id = this.world.id(),
    display = '+55 11 91234-5678',
    ...given
  }: Partial<BusinessNumber> = {}): BusinessNumber {
    const number = { id, display, name: 'Norte Digital', account: 'waba1', token: `token_of_${id}`, ...given }
    this.world.numbers.set(id, number)
    return number
  }

  addTemplate(template: Partial<LocalTemplate> & { name: string }): void {
    this.world.templates.push({ account: 'waba1', language: 'pt_BR', body: 'Olá', status: 'APPROVED', ...template })
  }

  /** Somebody with WhatsApp. */
  addPerson(person: Partial<Person> = {}): Person {
    return this.world.person(person)
  }

  /** A group that is there already. */
  addGroup(id: string, subject = 'Buyers'): string {
    this.world.groups.set(id, { subject })
    return id
  }

  /** A business makes a group, which is told; `fails`: that it was not made. */
  makesGroup(number: BusinessNumber, subject: string, { id = this.groupId(), ...how }: Naming = {}): string {
    if (!how.fails) this.addGroup(id, subject)
    const joining = { invite_link: `https://chat.whatsapp.com/${this.world.id()}`, join_approval_mode: 'auto_approve' }
    const made = how.fails ? { errors: [NOT_NAMED] } : joining
    this.tellGroup(number, 'group_lifecycle_update', { type: 'group_create', group_id: id, subject, ...made }, how)
    return id
  }

  /** A group gets another subject, which is told; `fails`: that it was not taken. */
  renamesGroup(number: BusinessNumber, id: string, subject: string, how: Omit<Naming, 'id'> = {}): void {
    if (!how.fails) this.addGroup(id, subject)
    const taken = { text: subject, update_successful: !how.fails, ...(how.fails ? { errors: [NOT_NAMED] } : {}) }
    const change = { type: 'group_settings_update', group_id: id, group_subject: taken }
    this.tellGroup(number, 'group_settings_update', change, how)
  }

  /** Anything else of a group that is told, such as another picture. */
  tellGroup(
    number: BusinessNumber,
    field: 'group_lifecycle_update' | 'group_settings_update',
    group: object,
    { timestamp = this.world.seconds }: Pick<Naming, 'timestamp'> = {},
  ): void {
    this.tell(number, { groups: [{ timestamp, request_id: this.world.id(), ...group }] }, field)
  }

  /** Somebody writes; resolves to the message's id. */
  says(person: Person, number: BusinessNumber, body: string, saying?: Saying): string {
    return this.sends(person, number, { type: 'text', text: { body } }, saying)
  }

  /** Somebody sends a message of any type, in the form of a webhook without its envelope. */
  sends(
    person: Person,
    number: BusinessNumber,
    message: { type: string; [part: string]: unknown },
    saying: Saying = {},
  ): string {
    const { replyTo, group, timestamp } = saying
    const id = this.world.messageId()
    if (group === undefined) this.world.heard(number.id, person)
    const context = replyTo === undefined ? {} : { context: { from: number.display.replace(/\D/g, ''), id: replyTo } }
    const told = {
      ...this.sender(person),
      ...(group === undefined ? {} : { group_id: group }),
      id,
      timestamp: timestamp ?? this.world.seconds,
      ...context,
      ...message,
    }
    this.tell(number, { contacts: [this.card(person)], messages: [told] })
    return id
  }

  /** Somebody has another number, which WhatsApp tells as a message of its own. */
  changesNumber(person: Person, number: BusinessNumber, phone: string): string {
    const id = this.world.messageId()
    const body = `User ${person.name} changed from ${person.waId} to ${phone}`
    const system = { body, wa_id: phone, type: 'user_changed_number' }
    this.tell(number, { messages: [{ from: person.waId, id, timestamp: this.world.seconds, type: 'system', system }] })
    return id
  }

  /** Whoever a message was sent to reads it. */
  reads(id: string): void {
    this.receipt(this.world.sent.find((message) => message.id === id)!, 'read')
  }

  /** A message that was taken turns out not to be deliverable. */
  fails(id: string, code = 131026, title = 'Message undeliverable', details = title): void {
    const errors = [{ code, title, message: title, error_data: { details } }]
    this.receipt(this.world.sent.find((message) => message.id === id)!, 'failed', { errors })
  }

  /** A receipt of a message that was sent. */
  receipt({ id, numberId, to }: SentMessage, status: string, more: object = {}): void {
    const whom =
      'group' in to
        ? { recipient_id: to.group, recipient_type: 'group' }
        : { ...(to.hidden || !to.waId ? {} : { recipient_id: to.waId }), recipient_user_id: to.userId }
    const one = { id, status, timestamp: this.world.seconds, ...whom, ...more }
    this.tell(this.world.numbers.get(numberId)!, { statuses: [one] })
  }

  /** Has something go wrong with coming calls. */
  disturb(fault: Fault): void {
    this.faults.add(fault)
  }

  /** Ends what goes wrong. */
  calm(): void {
    this.faults.clear()
  }

  /** Tells all that waits. */
  deliver(how?: Delivering): Promise<void> {
    return this.webhooks.deliver(how)
  }

  /** Hands over what it has to complain of, which is then no failure of `stop`. */
  takeComplaints(): string[] {
    return this.complaints.splice(0)
  }

  /** Ends it; rejects if it was asked what does not fit, or said otherwise than Meta would. */
  async stop(): Promise<void> {
    this.calm()
    this.server.closeAllConnections()
    await new Promise<void>((resolve) => this.server.close(() => resolve()))
    await this.webhooks.deliver()
    if (this.complaints.length > 0) {
      throw new Error(`the local WhatsApp complains:\n${[...new Set(this.complaints)].join('\n')}`)
    }
  }

  private took({ sent, failure }: Taken): void {
    if (!sent) return
    this.onSent(sent)
    if (failure) this.fails(sent.id, failure.code, failure.title, failure.details)
    if (failure || !this.receipts) return
    this.receipt(sent, 'sent')
    this.receipt(sent, 'delivered')
  }

  private sender({ userId, waId, hidden }: Person): object {
    return { ...(hidden || !waId ? {} : { from: waId }), from_user_id: userId }
  }

  private card({ userId, waId, hidden, name, username }: Person): object {
    const profile = { name, ...(username ? { username } : {}) }
    return { profile, ...(hidden || !waId ? {} : { wa_id: waId }), user_id: userId }
  }

  private groupId(): string {
    return Buffer.from(`capi_group:${this.world.id()}`).toString('base64url')
  }

  private tell(number: BusinessNumber, parts: object, field?: string): void {
    this.webhooks.add(number, parts, field)
    if (this.automatic) setImmediate(() => void this.webhooks.deliver())
  }
}

/** Starts a local WhatsApp on a free port of 127.0.0.1. */
export function startLocalWhatsApp(options: LocalWhatsAppOptions = {}): Promise<LocalWhatsApp> {
  return new LocalWhatsApp(options).start(options.port)
}
