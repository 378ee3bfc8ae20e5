// Anything that looks like one of our secrets, wherever it turns up and whatever it is glued to. The f is missing where
// what stands before it makes a percent code with it, as in `%0fl_live_…`.
const SECRET = /f?l_(live|agency|session|link)_[0-9a-z]{4,}/gi
// What opens our account at Stripe, or proves that an event is Stripe's.
const STRIPE_SECRET = /((?:sk|rk)_(?:live|test)|whsec)_[0-9a-z+/]{4,}/gi
// What follows these in an address opens something.
const SECRET_PARAMETER = /(?:api_key|token)=|\/unsubscribe\//gi
// A member of JSON, or an argument in the text of a query, whatever it is quoted in.
const SECRET_MEMBER = /(?:password|token)\w*\\*"?\s*:\s*\\*"/gi
// The value ends where the text does that quotes it.
const PARAMETER_VALUE = /(?:\\.|[^&\s"\\])*/y
const CODED = /%[0-9a-f]|\\[ux\\]/i
// A character, or what JSON makes of one in a text.
const TOKEN = /\\u[0-9a-fA-F]{4}|\\["\\/bfnrt]|[\s\S]/g
const HEX = /^[0-9a-f]+$/i

/** A character, and which part of the text that was given it stands for. */
interface Character {
  character: string
  start: number
  end: number
}

/**
 * Blots out credentials in a line of JSON that is going to be logged, however they are spelled: in upper or lower case,
 * with percent codes or escapes of JSON for any of their characters, and for the characters of these again, at any depth.
 */
export function redact(line: string): string {
  const plain = CODED.test(line) ? decode(line) : undefined
  const searched = plain ? plain.map(({ character }) => character).join('') : line
  const startOf = (index: number) => (plain ? plain[index]!.start : index)
  const endOf = (index: number) => (plain ? plain[index]!.end : index + 1)
  const cuts: { start: number; end: number; instead: string }[] = []
  for (const { index, 0: name } of searched.matchAll(SECRET_PARAMETER)) {
    const start = endOf(index + name.length - 1)
    PARAMETER_VALUE.lastIndex = start
    const end = start + PARAMETER_VALUE.exec(line)![0].length
    if (end > start) cuts.push({ start, end, instead: '[redacted]' })
  }
  for (const { index, 0: name } of searched.matchAll(SECRET_MEMBER)) {
    const start = endOf(index + name.length - 1)
    const end = endOfQuoted(line, start)
    if (end > start) cuts.push({ start, end, instead: '[redacted]' })
  }
  for (const { index, 0: secret, 1: kind } of searched.matchAll(SECRET)) {
    const end = endOf(index + secret.length - 1)
    cuts.push({ start: startOf(index), end, instead: `fl_${kind!.toLowerCase()}_[redacted]` })
  }
  for (const { index, 0: secret, 1: kind } of searched.matchAll(STRIPE_SECRET)) {
    const end = endOf(index + secret.length - 1)
    cuts.push({ start: startOf(index), end, instead: `${kind!.toLowerCase()}_[redacted]` })
  }
  let result = ''
  let done = 0
  for (const { start, end, instead } of cuts.sort((a, b) => a.start - b.start)) {
    if (start >= done) result += line.slice(done, start) + instead
    done = Math.max(done, end)
  }
  return result + line.slice(done)
}

/**
 * Where a quoted text ends that starts here: at the next quotation mark that is quoted no deeper than the one before it.
 * Each level doubles the backslashes of what is in the text, and adds one to its marks.
 */
function endOfQuoted(line: string, start: number): number {
  const depth = backslashesBefore(line, start - 1)
  for (let end = line.indexOf('"', start); end >= 0; end = line.indexOf('"', end + 1)) {
    const slashes = backslashesBefore(line, end)
    if (slashes % (2 * (depth + 1)) <= depth) return end - Math.min(slashes, depth)
  }
  return line.length
}

function backslashesBefore(line: string, index: number): number {
  let count = 0
  while (line[index - 1 - count] === '\\') count++
  return count
}

/**
 * Takes character by character; whenever the last ones are the code of a printable one, that takes their place, and may
 * complete the next code. So codes of codes end in the same pass, whose cost does not grow with their depth. Backslashes
 * that are left over, as from a quotation within a quotation, are no part of anything that is searched for.
 */
function decode(line: string): Character[] {
  const stack: Character[] = []
  for (const { index: start, 0: token } of line.matchAll(TOKEN)) {
    stack.push({ character: token.length > 1 ? unquoted(token) : token, start, end: start + token.length })
    for (let code = lastCode(stack); code; code = lastCode(stack)) {
      const { start } = stack[stack.length - code.length]!
      const { end } = stack.at(-1)!
      stack.length -= code.length
      stack.push({ character: code.character, start, end })
    }
  }
  return stack.filter(({ character }) => character !== '\\')
}

function unquoted(token: string): string {
  return JSON.parse(`"${token}"`)
}

/** The code that the characters end with: `%66`, or `\x66` or `\u0066`. */
function lastCode(stack: readonly Character[]): { length: number; character: string } | undefined {
  const at = (back: number) => stack[stack.length - back]?.character
  if (!HEX.test(at(1)!)) return undefined
  if (at(3) === '%') return printable(stack.slice(-2), 3)
  if (at(3) === 'x' && at(4) === '\\') return printable(stack.slice(-2), 4)
  if (at(5) === 'u' && at(6) === '\\') return printable(stack.slice(-4), 6)
  return undefined
}

function printable(digits: readonly Character[], length: number): { length: number; character: string } | undefined {
  const text = digits.map(({ character }) => character).join('')
  const code = HEX.test(text) ? Number.parseInt(text, 16) : 0
  return code > 0x20 && code < 0x7f ? { length, character: String.fromCharCode(code) } : undefined
}
