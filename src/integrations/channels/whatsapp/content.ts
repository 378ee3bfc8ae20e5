import { listOf, type Part, partOf, textOf } from './parts.js'

const joined = (...texts: (string | undefined)[]) => texts.filter((text) => text !== undefined).join(', ') || undefined

/** What a message says, for people to read: its text, or in brackets what it is, with what is readable of it. */
const CONTENT: Readonly<Record<string, (message: Part) => string | undefined>> = {
  text: ({ text }) => textOf(partOf(text).body),
  image: ({ image }) => marked('image', captionOf(image)),
  video: ({ video }) => marked('video', captionOf(video)),
  sticker: () => marked('sticker'),
  audio: ({ audio }) => marked(partOf(audio).voice === true ? 'voice message' : 'audio'),
  document: ({ document }) => marked('document', joined(textOf(partOf(document).filename), captionOf(document))),
  location: ({ location }) => {
    const { name, address, latitude, longitude } = partOf(location)
    return marked('location', joined(textOf(name), textOf(address), `${latitude}, ${longitude}`))
  },
  contacts: ({ contacts }) => marked('contact', listOf(contacts).map(cardOf).join('; ')),
  button: ({ button }) => textOf(partOf(button).text) ?? textOf(partOf(button).payload),
  interactive: ({ interactive }) => {
    const { list_reply: row, button_reply: button, nfm_reply: form } = partOf(interactive)
    const { title, description } = partOf(row ?? button)
    return (
      joined(textOf(title), textOf(description)) ??
      (form ? marked('form', textOf(partOf(form).response_json)) : undefined)
    )
  },
  reaction: ({ reaction }) => marked('reaction', textOf(partOf(reaction).emoji) ?? 'taken back'),
  order: ({ order }) => {
    const { product_items: items, text } = partOf(order)
    return marked('order', joined(...listOf(items).map(itemOf), textOf(text)))
  },
  edit: ({ edit }) => marked('changed', contentOf(partOf(partOf(edit).message))),
  revoke: () => marked('deleted'),
  system: ({ system }) => marked('system', textOf(partOf(system).body)),
  request_welcome: () => marked('opened the chat'),
  unsupported: ({ errors }) => {
    const { title, error_data: data } = partOf(listOf(errors)[0])
    return marked('unsupported', textOf(partOf(data).details) ?? textOf(title))
  },
}

const captionOf = (media: unknown) => textOf(partOf(media).caption)
const marked = (what: string, more?: string) => (more ? `[${what}] ${more}` : `[${what}]`)

function cardOf(card: unknown): string {
  const { name, phones, emails } = partOf(card)
  const { formatted_name: full, first_name: first } = partOf(name)
  const numbers = listOf(phones).map((phone) => textOf(partOf(phone).phone) ?? textOf(partOf(phone).wa_id))
  const addresses = listOf(emails).map((email) => textOf(partOf(email).email))
  return joined(textOf(full) ?? textOf(first), ...numbers, ...addresses) ?? '?'
}

function itemOf(item: unknown): string {
  const { quantity, product_retailer_id: product, item_price: price, currency } = partOf(item)
  return `${quantity} × ${product} at ${price} ${currency}`
}

/** What a message of any type says; a type that is not known is told as such. */
export function contentOf(message: Part): string {
  const type = kindOf(message)
  const content = CONTENT[type]?.(message) ?? marked(type === 'unknown' ? 'unsupported' : type)
  const { source_url: url, headline } = partOf(message.referral)
  const ad = joined(textOf(headline), textOf(url))
  const product = textOf(partOf(partOf(message.context).referred_product).product_retailer_id)
  return [content, ad && `[from the ad] ${ad}`, product && `[about the product] ${product}`].filter(Boolean).join('\n')
}

/** The type of a message, as a word. */
export function kindOf({ type }: Part): string {
  const word = textOf(type)
  return word !== undefined && /^[a-z_]{1,16}$/.test(word) ? word : 'unsupported'
}

/** Of a reply, a reaction, a change or a deletion, the message that it is about. */
export function targetOf(message: Part): string | undefined {
  const { reaction, edit, revoke, context } = message
  return (
    textOf(partOf(reaction).message_id) ??
    textOf(partOf(edit).original_message_id) ??
    textOf(partOf(revoke).original_message_id) ??
    textOf(partOf(context).id)
  )
}
