/** Members of all objects in a body: the largest free-form object and more. Each costs the parser its time. */
const MAX_MEMBERS = 12_000

/** Values in a body, at whatever depth: the largest free-form object and more. */
const MAX_VALUES = 40_000

/** Levels to which a body may be nested; free-form objects alone may have 64. */
const MAX_DEPTH = 80

/** Items of a list. */
export const MAX_ITEMS = 1000

/** What is too much about a list, or undefined. */
export function listFault(list: readonly unknown[]): string | undefined {
  return list.length > MAX_ITEMS ? `must have at most ${MAX_ITEMS} items` : undefined
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/** What is too much about JSON, and of which member of the outermost object, if of one. */
export interface SizeFault {
  member?: string
  message: string
}

/** What is too much about JSON that has not been parsed yet, which alone would take long, or undefined. */
export function jsonSizeFault(json: Buffer): SizeFault | undefined {
  let [depth, commas, colons, start, end] = [0, 0, 0, 0, 0]
  let inText = false
  for (let i = 0; i < json.length; i++) {
    const byte = json[i]!
    if (byte === QUOTE) {
      inText = !inText
      if (inText && depth === 1) start = i
      else if (depth === 1) end = i
    } else if (inText) {
      if (byte === BACKSLASH) i++
    } else if (byte === COMMA) commas++
    else if (byte === COLON) colons++
    else if (OPENING.has(byte)) {
      if (++depth > MAX_DEPTH) {
        return { member: textAt(json, start, end), message: `must not be nested deeper than ${MAX_DEPTH} levels` }
      }
    } else if (CLOSING.has(byte)) depth--
  }
  if (colons > MAX_MEMBERS) return { message: `must not have more than ${MAX_MEMBERS} members` }
  return commas > MAX_VALUES ? { message: `must not have more than ${MAX_VALUES} values` } : undefined
}

function textAt(json: Buffer, start: number, end: number): string | undefined {
  try {
    return JSON.parse(json.toString('utf8', start, end + 1))
  } catch {
    return undefined
  }
}
