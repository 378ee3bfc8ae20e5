/** Bytes of JSON that a record's free-form object may take. */
export const MAX_JSON_BYTES = 65_536
const MAX_DEPTH = 64

/**
 * What is wrong with a free-form JSON object, or undefined. It must come back as it was sent, so what PostgreSQL or a
 * double cannot keep is refused: NUL, half a surrogate pair, infinite numbers, integers beyond 2^53, deep nesting.
 */
export function jsonFault(value: unknown): string | undefined {
  if (isSurelyTooLarge(value)) return TOO_LARGE
  const fault = nodeFault(value, 1)
  if (fault) return fault
  const bytes = Buffer.byteLength(JSON.stringify(value))
  return bytes > MAX_JSON_BYTES ? TOO_LARGE : undefined
}

const TOO_LARGE = `must take at most ${MAX_JSON_BYTES} bytes as JSON`

/** Whether the members of an object alone, at least four bytes each, are too many; the usual object has few. */
function isSurelyTooLarge(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length * 4 > MAX_JSON_BYTES
}

function nodeFault(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return stringFault(value)
  if (typeof value === 'number') return numberFault(value)
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > MAX_DEPTH) return `must not be nested deeper than ${MAX_DEPTH} levels`
  for (const [key, inner] of Object.entries(value)) {
    const fault = stringFault(key) ?? nodeFault(inner, depth + 1)
    if (fault) return fault
  }
  return undefined
}

function stringFault(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain a NUL character'
  return text.isWellFormed() ? undefined : 'must not contain half of a surrogate pair'
}

function numberFault(value: number): string | undefined {
  if (!Number.isFinite(value)) return 'must not contain numbers beyond the range of a double'
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return 'must not contain integers beyond 2^53, which JSON readers round; send them as text'
  }
  return undefined
}
