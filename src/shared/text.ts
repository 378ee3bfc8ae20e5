/** Code points that a text may have where nothing else is said; also the bound of search terms and filters. */
export const DEFAULT_MAX_LENGTH = 2048

const FORBIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/

/**
 * What is wrong with a text, or undefined: NUL and other control characters except tab and newline, half a surrogate
 * pair, or more code points than `max`.
 */
export function textFault(text: string, max: number): string | undefined {
  if (FORBIDDEN.test(text)) {
    return text.includes('\0') ? 'must not contain a NUL character' : 'must not contain control characters'
  }
  if (!text.isWellFormed()) return 'must not contain half of a surrogate pair'
  if (text.length > max && codePoints(text) > max) return `must have at most ${max} characters`
  return undefined
}

/** A text as it is stored: without white space around it, and with LF for each CRLF. */
export function tidy(text: string): string {
  return (text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text).trim()
}

function codePoints(text: string): number {
  let pairs = 0
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) pairs++
  return text.length - pairs
}

const EMAIL = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:".]+(?:\.[^\s@<>()[\]\\,;:".]+)+$/u

/** Whether a text looks like an email address: one @, something before it and a domain with a dot after it. */
export function looksLikeEmail(text: string): boolean {
  return EMAIL.test(text) && !text.startsWith('.') && !text.includes('..') && !text.includes('.@')
}

const MAX_SLUG_LENGTH = 200
// What has no accent that could be taken off.
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
}

/** A name as it may stand in an address: ASCII, lower case, hyphens; `account` where nothing of it can. */
export function slugOf(name: string): string {
  const plain = name.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')
  const ascii = plain.replace(/[^a-z0-9]/g, (letter) => LETTERS[letter] ?? '-')
  const slug = ascii.slice(0, MAX_SLUG_LENGTH).replace(/-+/g, '-').replace(/^-|-$/g, '')
  return slug || 'account'
}
