import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Told, ToldMessage, ToldPerson, ToldReceipt } from '../told.js'
import { contentOf, kindOf, targetOf } from './content.js'
import { inWords } from './failures.js'
import { GROUP_FIELDS, groupIn } from './group.js'
import { clean, idOf, listOf, momentOf, type Part, partOf, textOf } from './parts.js'

const STATUSES = ['sent', 'delivered', 'read', 'failed'] as const
const MAX_CONTENT = 20_000

/** Whether one of the secrets signed these bytes, as `X-Hub-Signature-256` says; without any nobody is believed. */
export function isSigned(body: Buffer, signature: string, secrets: readonly string[]): boolean {
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(signature) ?? []
  if (hex === undefined) return false
  const given = Buffer.from(hex, 'hex')
  return secrets.some((secret) => timingSafeEqual(createHmac('sha256', secret).update(body).digest(), given))
}

/**
 * What a webhook tells, each thing for itself and in the order in which it tells them. What has not the form that Meta
 * describes, or is of no use here, such as who has joined a group, is left out: told again it would be the same.
 */
export function readWebhook(payload: unknown): Told[] {
  if (partOf(payload).object !== 'whatsapp_business_account') return []
  return listOf(partOf(payload).entry)
    .flatMap((entry) => listOf(partOf(entry).changes))
    .flatMap((change) => readChange(partOf(change)))
}

function readChange({ field, value: given }: Part): Told[] {
  const value = partOf(given)
  const numberId = idOf(partOf(value.metadata).phone_number_id)
  if (numberId === undefined) return []
  const whats = field === 'messages' ? spokenIn(value) : GROUP_FIELDS.includes(field) ? groupsIn(value) : []
  return whats.flatMap((what) => (what ? [{ numberId, lane: laneOf(numberId, what), what }] : []))
}

function spokenIn(value: Part) {
  const people = listOf(value.contacts).map(personIn)
  return [
    ...listOf(value.messages).map((message) => messageIn(partOf(message), people)),
    ...listOf(value.statuses).map((status) => receiptIn(partOf(status))),
  ]
}

const groupsIn = (value: Part) => listOf(value.groups).map((group) => groupIn(partOf(group)))

function personIn(card: unknown): ToldPerson {
  const { wa_id, user_id, profile } = partOf(card)
  return personOf(wa_id, user_id, textOf(partOf(profile).name) ?? textOf(partOf(profile).username))
}

function personOf(phone: unknown, user: unknown, name?: string): ToldPerson {
  const [digits, userId] = [textOf(phone)?.replace(/\D/g, ''), idOf(user)]
  return {
    ...(digits && digits.length <= 20 ? { phone: digits } : {}),
    ...(userId ? { userId } : {}),
    ...(name ? { name: clean(name, 255) } : {}),
  }
}

function messageIn(message: Part, people: readonly ToldPerson[]): ToldMessage | undefined {
  const providerId = idOf(message.id)
  const sender = personOf(message.from, message.from_user_id)
  if (!providerId || (!sender.phone && !sender.userId)) return undefined
  // One webhook may bring messages of several people; the card of each says who else they are.
  const card = people.find(({ phone, userId }) =>
    sender.userId && userId ? userId === sender.userId : phone !== undefined && phone === sender.phone,
  )
  const groupId = idOf(message.group_id)
  const refersTo = idOf(targetOf(message))
  return {
    about: 'message',
    providerId,
    from: { ...card, ...sender },
    ...(groupId ? { groupId } : {}),
    at: momentOf(message.timestamp),
    content: clean(contentOf(message), MAX_CONTENT) || `[${kindOf(message)}]`,
    kind: kindOf(message),
    ...(refersTo ? { refersTo } : {}),
  }
}

function receiptIn(status: Part): ToldReceipt | undefined {
  const providerId = idOf(status.id)
  const known = STATUSES.find((one) => one === status.status)
  if (!providerId || !known) return undefined
  const isGroup = status.recipient_type === 'group' || textOf(status.group_id) !== undefined
  const reason = known === 'failed' ? reasonIn(listOf(status.errors)[0]) : undefined
  return {
    about: 'receipt',
    providerId,
    status: known,
    at: momentOf(status.timestamp),
    ...(reason ? { reason } : {}),
    recipient: isGroup ? {} : personOf(status.recipient_id, status.recipient_user_id),
  }
}

function reasonIn(error: unknown): string | undefined {
  const { code, title, message, error_data: data } = partOf(error)
  const words = textOf(title) ?? textOf(message)
  if (typeof code !== 'number' || words === undefined) return undefined
  const details = textOf(partOf(data).details)
  return clean(inWords({ code, message: words, ...(details ? { details } : {}) }), MAX_CONTENT)
}

/**
 * Receipts of one message stay in order, so does all that is told of a group, and so do messages of a person, whose user id is
 * there even where the phone is not. What is told of the phone alone, such as that it has changed, keeps its place among them by the second of its sending.
 */
function laneOf(numberId: string, what: Told['what']): string {
  if (what.about === 'receipt') return `${numberId} ${what.providerId}`
  if (what.about === 'group') return `${numberId} ${what.groupId}`
  const { groupId, from } = what
  return `${numberId} ${groupId ?? from.userId ?? from.phone}`
}
