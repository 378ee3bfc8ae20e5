/** Something of a webhook that should be an object. */
export type Part = Record<string, unknown>

/** Longer ones are not Meta's. */
const MAX_ID = 512

/** An object, where one is there: what comes in is not believed to have the form that it should. */
export const partOf = (value: unknown): Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Part) : {}

/** A text that is not empty. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

/** A list, where one is there. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** An id of Meta's, where one is there. */
export const idOf = (value: unknown): string | undefined => {
  const text = textOf(value)
  return text !== undefined && text.length <= MAX_ID && /^[\x21-\x7e]+$/.test(text) ? text : undefined
}

/** A moment in seconds since 1970, as ISO 8601; what is none, or lies ahead, is now. */
export function momentOf(seconds: unknown): string {
  const ms = Number(seconds) * 1000
  return new Date(ms > 0 && ms < Date.now() ? ms : Date.now()).toISOString()
}

/** A text that can be stored: not too long, without control characters and halves of surrogate pairs, also where it is cut. */
export const clean = (text: string, length: number): string =>
  text
    .replaceAll('\r\n', '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
    .trim()
    .slice(0, length)
    .toWellFormed()
