import { compile } from 'html-to-text'
import { LRUCache } from 'lru-cache'
import Mustache from 'mustache'

/** What a template is filled with. */
export interface Variables {
  name: string
  first_name: string
  email: string
  phone: string
  company: string
  title: string
  location: string
  sender_name: string
  sender_email: string
  account_name: string
  unsubscribe_url: string
  /** The contact's own further fields, by their names. */
  custom: Readonly<Record<string, string>>
}

/** What can stand in a template, beside `custom.` and the name of a field. */
export const VARIABLES = [
  'name',
  'first_name',
  'email',
  'phone',
  'company',
  'title',
  'location',
  'sender_name',
  'sender_email',
  'account_name',
  'unsubscribe_url',
] as const satisfies readonly (keyof Variables)[]

/** A template's parts. */
export interface Parts {
  subject: string
  html: string
  text?: string | null
}

/** A mail that a template has become. */
export interface Rendered {
  subject: string
  html: string
  text: string
}

/** The longest that a mail may become, in characters. */
const MAX_RENDERED = 1_000_000
const MAX_SUBJECT = 255

type Tokens = [kind: string, value: string, start: number, end: number, inner?: Tokens][]

const isKnown = (name: string) => (VARIABLES as readonly string[]).includes(name) || /^custom\.[^.\s]+$/.test(name)

/** What is wrong with a part of a template, in words that end a sentence; nothing where all is well. */
export function templateFault(part: string, { isHtml }: { isHtml: boolean }): string | undefined {
  let tokens: Tokens
  try {
    tokens = Mustache.parse(part) as unknown as Tokens
  } catch {
    return 'has a section or braces that are not closed'
  }
  const unknown = new Set<string>()
  const odd = new Set<string>()
  const walk = (list: Tokens): void => {
    for (const [kind, value, , , inner] of list) {
      if (kind === '>' || kind === '=' || (kind === '&' && isHtml)) odd.add(kind)
      else if (kind !== 'text' && kind !== '!' && !isKnown(value)) unknown.add(value)
      if (inner) walk(inner)
    }
  }
  walk(tokens)
  if (odd.has('&')) return 'must leave values escaped: two braces, not three'
  if (odd.size > 0) return 'can hold variables, sections and comments alone'
  if (unknown.size === 0) return undefined
  const names = [...unknown].slice(0, 5).map((name) => `{{${name.slice(0, 40)}}}`)
  return `names what nobody knows: ${names.join(', ')}; known are ${VARIABLES.join(', ')} and custom.<field>`
}

// The one that comes along keeps every template for good.
const writer = new Mustache.Writer()
Object.assign(writer, { templateCache: new LRUCache<string, object>({ max: 200 }) })

// A slash is no danger, and addresses stay readable.
const safe = (value: string) => Mustache.escape(String(value)).replaceAll('&#x2F;', '/')
const plain = (value: string) => String(value)
const toText = compile({ wordwrap: 78, selectors: [{ selector: 'img', format: 'skip' }] })

/** Fills a template. Throws RangeError where that comes to more than a mail may be. */
export function render({ subject, html, text }: Parts, variables: Variables): Rendered {
  const fill = (part: string, spell: (value: string) => string) => {
    const filled = writer.render(part, variables, undefined, { escape: spell })
    if (filled.length > MAX_RENDERED) throw new RangeError('the mail is too long')
    return filled
  }
  const filled = fill(html, safe)
  const leaves = (part: string, link: string) => (part.includes(variables.unsubscribe_url) ? '' : link)
  const url = safe(variables.unsubscribe_url)
  const whole = withFooter(filled, filled.includes(url) ? '' : `<p><a href="${url}">Unsubscribe</a></p>`)
  const said = text ? fill(text, plain) : toText(whole)
  return {
    subject: [...fill(subject, plain).replace(/\s+/g, ' ').trim()].slice(0, MAX_SUBJECT).join(''),
    html: whole,
    text: said + leaves(said, `\n\nUnsubscribe: ${variables.unsubscribe_url}\n`),
  }
}

function withFooter(html: string, footer: string): string {
  const end = html.search(/<\/body\s*>/i)
  return end < 0 ? html + footer : html.slice(0, end) + footer + html.slice(end)
}

/** Values by which nothing but texts can be reached. */
export function variablesOf(values: Omit<Variables, 'custom'>, custom: Readonly<Record<string, unknown>>): Variables {
  const texts = Object.entries(custom).flatMap(([name, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value) ? [[name, String(value).slice(0, 1000)] as const] : [],
  )
  const own = Object.assign(Object.create(null) as Record<string, string>, Object.fromEntries(texts))
  return Object.assign(Object.create(null) as Variables, values, { custom: own })
}
