import { createHash, randomBytes } from 'node:crypto'

/** A number of a business. */
export interface BusinessNumber {
  id: string
  /** As it is shown. */
  display: string
  name: string
  /** The WhatsApp Business account that it belongs to. */
  account: string
  token: string
}

/** A template of a WhatsApp Business account; `body` has its parameters as {{1}}, {{2}}. */
export interface LocalTemplate {
  account: string
  name: string
  language: string
  body: string
  status: 'APPROVED' | 'PENDING' | 'REJECTED' | 'PAUSED' | 'DISABLED'
}

/** Somebody with WhatsApp; `hidden`: whoever has chosen a username, whose phone is told to nobody. */
export interface Person {
  userId: string
  phone?: string
  /** The digits that WhatsApp knows the phone by, which of many Brazilian mobiles lack the ninth. */
  waId?: string
  name: string
  username?: string
  hidden: boolean
}

/** A message that a business sent. */
export interface SentMessage {
  id: string
  numberId: string
  to: Person | { group: string }
  body: Record<string, unknown>
  at: number
}

/** A file. */
export interface Media {
  id: string
  type: string
  bytes: Buffer
  numberId: string
}

const DAY = 86_400_000

/** What a local WhatsApp knows; in memory. */
export class World {
  readonly numbers = new Map<string, BusinessNumber>()
  readonly templates: LocalTemplate[] = []
  readonly people: Person[] = []
  readonly groups = new Map<string, { subject: string }>()
  readonly media = new Map<string, Media>()
  readonly sent: SentMessage[] = []
  private readonly inbound = new Map<string, number>()
  private readonly clock: () => Date
  private counter = 0

  constructor(clock: () => Date) {
    this.clock = clock
  }

  /** Milliseconds of its time. */
  get time(): number {
    return this.clock().getTime()
  }

  /** Seconds, as it tells them. */
  get seconds(): string {
    return String(Math.floor(this.time / 1000))
  }

  messageId(): string {
    return `wamid.${randomBytes(24).toString('base64')}`
  }

  id(): string {
    this.counter += 1
    return `${Date.now()}${String(this.counter).padStart(4, '0')}`
  }

  person({ phone, ...given }: Partial<Person>): Person {
    const digits = phone?.replace(/\D/g, '')
    const own = {
      userId: given.userId ?? userIdOf(digits),
      name: given.name ?? 'Sheena Nelson',
      hidden: given.hidden ?? false,
    }
    const person: Person = {
      ...own,
      ...(given.username ? { username: given.username } : {}),
      ...(digits ? { phone: digits, waId: given.waId ?? waIdOf(digits) } : {}),
    }
    this.people.push(person)
    return person
  }

  /** Whoever has a phone, which may be written with a plus, blanks and hyphens, or as WhatsApp knows it. */
  byPhone(phone: string): Person | undefined {
    const digits = phone.replace(/\D/g, '')
    return this.people.find(
      (person) => person.phone === digits || person.waId === digits || waIdOf(digits) === person.waId,
    )
  }

  heard(numberId: string, { userId }: Person): void {
    this.inbound.set(`${numberId} ${userId}`, this.time)
  }

  /** Whether a person wrote to this number within the last 24 hours. */
  isOpen(numberId: string, { userId }: Person): boolean {
    const last = this.inbound.get(`${numberId} ${userId}`)
    return last !== undefined && this.time - last < DAY
  }
}

/** The id of whoever has a phone, always the same; a new one without. */
function userIdOf(phone: string | undefined): string {
  const seed = phone === undefined ? randomBytes(16) : waIdOf(phone)
  const digits = BigInt(`0x${createHash('sha256').update(seed).digest('hex').slice(0, 16)}`)
  return `${phone?.startsWith('55') ? 'BR' : 'US'}.${digits}`
}

/** Brazilian mobiles outside of the areas 11 to 28 are known without their ninth digit, as accounts from before it are. */
function waIdOf(phone: string): string {
  const [, area, rest] = /^55(\d\d)9([6-9]\d{7})$/.exec(phone) ?? []
  return area !== undefined && Number(area) > 28 ? `55${area}${rest}` : phone
}
