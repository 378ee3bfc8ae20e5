import { USER_ID } from './description/index.js'
import { GraphFailure, invalid, WINDOW_CLOSED, WINDOW_DETAILS } from './errors.js'
import type { BusinessNumber, LocalTemplate, Person, SentMessage, World } from './world.js'

/** A message to be sent, whose form was found right. */
export interface Asked {
  messaging_product: string
  recipient_type?: 'individual' | 'group'
  to?: string
  recipient?: string
  type?: string
  status?: string
  text?: { body: string }
  template?: {
    name: string
    language: { code: string }
    components?: { type: string; parameters?: { type: string; text?: unknown }[] }[]
  }
}

/** How it goes about what tests want otherwise. */
export interface Manners {
  /** Where it says that a window is closed: at once, or, as Meta mostly does, in a receipt of what it has taken. */
  window: 'answer' | 'receipt'
  complain(what: string): void
}

/** What came of a message: its answer, and where it was not to be delivered, why. */
export interface Taken {
  answer: object
  /** The path that describes the answer, where it is not that of the route. */
  described?: string
  sent?: SentMessage
  failure?: { code: number; title: string; details: string }
}

const MAX_TEXT = 4096

/** Takes a message of a business, or refuses it. */
export function takeMessage(world: World, number: BusinessNumber, asked: Asked, manners: Manners): Taken {
  if (asked.status === 'read') return { answer: { success: true } }
  const { to, recipient } = asked
  if (asked.recipient_type === 'group') return takeForGroup(world, number, asked)
  if (to !== undefined && new RegExp(USER_ID).test(to)) {
    // Meta takes it, reads the digits as a phone, and nothing ever arrives (chatwoot/chatwoot#15150).
    manners.complain(`a user id was sent to in \`to\`: ${to}`)
    return { answer: accepted(world, { input: to, wa_id: to.replace(/\D/g, '') }).answer }
  }
  const person = personOf(world, asked)
  checkContent(world, number, asked)
  const isClosed = asked.template === undefined && !world.isOpen(number.id, person)
  if (isClosed && manners.window === 'answer') {
    throw new GraphFailure(WINDOW_CLOSED.code, WINDOW_CLOSED.title, { details: WINDOW_DETAILS })
  }
  const whom = to === undefined ? { input: recipient!, user_id: person.userId } : { input: to, wa_id: person.waId }
  const { id, answer } = accepted(world, whom)
  const sent = {
    id,
    numberId: number.id,
    to: person,
    body: asked as unknown as Record<string, unknown>,
    at: world.time,
  }
  world.sent.push(sent)
  return { answer, sent, ...(isClosed ? { failure: { ...WINDOW_CLOSED, details: WINDOW_DETAILS } } : {}) }
}

function takeForGroup(world: World, number: BusinessNumber, asked: Asked): Taken {
  const group = asked.to ?? ''
  if (!world.groups.has(group)) throw invalid('Group does not exist')
  checkContent(world, number, asked)
  const { id, answer } = accepted(world, { input: group })
  const sent = {
    id,
    numberId: number.id,
    to: { group },
    body: asked as unknown as Record<string, unknown>,
    at: world.time,
  }
  world.sent.push(sent)
  return { answer, sent }
}

function accepted(world: World, whom: object): { id: string; answer: object } {
  const id = world.messageId()
  const messages = [{ id, message_status: 'accepted' }]
  return { id, answer: { messaging_product: 'whatsapp', contacts: [whom], messages } }
}

/** A phone goes before a user id; who has one that nobody told of is there all the same. */
function personOf(world: World, { to, recipient }: Asked): Person {
  if (to !== undefined) {
    if (!/^\+?[\d ()-]{7,24}$/.test(to)) throw invalid('Parameter `to` is not a phone number')
    return world.byPhone(to) ?? world.person({ phone: to })
  }
  const person = world.people.find(({ userId }) => userId === recipient)
  if (!person) throw new GraphFailure(131026, 'Message undeliverable', { details: 'Unknown user id.' })
  return person
}

function checkContent(world: World, number: BusinessNumber, { text, template, type }: Asked): void {
  if (type === 'text' && (text!.body.trim() === '' || [...text!.body].length > MAX_TEXT)) {
    throw invalid(`Param text['body'] must be at most ${MAX_TEXT} characters long, and not empty`)
  }
  if (!template) return
  const code = template.language.code
  const known = world.templates.find(
    ({ account, name, language }) => account === number.account && name === template.name && language === code,
  )
  if (!known || known.status === 'PENDING' || known.status === 'REJECTED') {
    throw new GraphFailure(132001, 'Template name does not exist in the translation', {
      status: 404,
      details: `template name (${template.name}) does not exist in ${code}`,
    })
  }
  if (known.status === 'PAUSED') throw new GraphFailure(132015, 'Template is paused')
  if (known.status === 'DISABLED') throw new GraphFailure(132016, 'Template is disabled')
  checkParameters(known, template.components?.find(({ type: kind }) => kind === 'body')?.parameters ?? [])
}

function checkParameters({ body }: LocalTemplate, given: { type: string; text?: unknown }[]): void {
  const expected = new Set([...body.matchAll(/\{\{(\d+)\}\}/g)].map(([, number]) => number)).size
  if (given.length !== expected) {
    throw new GraphFailure(132000, 'Number of parameters does not match the expected number of params', {
      details: `body: number of localizable_params (${given.length}) does not match the expected number of params (${expected})`,
    })
  }
  for (const { text } of given) {
    if (typeof text !== 'string' || text.trim() === '') throw new GraphFailure(131008, 'Required parameter is missing')
    if (/[\n\r\t]| {5}/.test(text)) {
      throw new GraphFailure(132018, 'Template parameters are invalid', {
        details: 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces',
      })
    }
  }
}
