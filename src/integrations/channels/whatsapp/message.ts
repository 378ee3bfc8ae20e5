import type { Addressee, Outgoing } from '../channel.js'

/** The longest text that WhatsApp takes, in characters. */
export const MAX_TEXT = 4096

/**
 * A message as the Cloud API takes it. A user id goes in `recipient`: in `to` it would be taken, read as a phone, and never
 * arrive.
 */
export function bodyOf(to: Addressee, message: Outgoing): object {
  return { messaging_product: 'whatsapp', ...whom(to), ...content(message) }
}

function whom(to: Addressee): object {
  if ('groupId' in to) return { recipient_type: 'group', to: to.groupId }
  if ('userId' in to) return { recipient_type: 'individual', recipient: to.userId }
  return { recipient_type: 'individual', to: to.phone.replace(/\D/g, '') }
}

function content(message: Outgoing): object {
  if (message.kind === 'text') {
    const context = message.replyTo === undefined ? {} : { context: { message_id: message.replyTo } }
    return { ...context, type: 'text', text: { body: message.text, preview_url: true } }
  }
  const { name, language, parameters } = message
  const body = { type: 'body', parameters: parameters.map((text) => ({ type: 'text', text: inOneLine(text) })) }
  const components = parameters.length > 0 ? { components: [body] } : {}
  return { type: 'template', template: { name, language: { code: language }, ...components } }
}

/** Values of parameters may have neither lines nor tabs, nor more than four blanks in a row. */
const inOneLine = (text: string) =>
  text
    .replace(/[\r\n\t]+/g, ' ')
    .replace(/ {5,}/g, '    ')
    .trim()
