import { LRUCache } from 'lru-cache'
import { currentSpan, type Span } from '../shared/tracing.js'
import { failureCode } from './failures.js'
import { isSetting } from './session.js'

/** The driver's `query`, as whoever calls it sees it. */
export type Send = (query: unknown, given?: unknown, done?: Callback) => unknown

type Callback = (error: Error | null | undefined, result: never) => void

/** How a statement is named in a trace, and its text without any value. */
interface Described {
  summary: string
  text: string
}

const MAX_KNOWN = 500
// The rest of a text tells nothing new, and a span is to stay small.
const MOST = 4000

const known = new LRUCache<string, Described>({ max: MAX_KNOWN })

// What reads or changes a table, each with the parentheses around it; `for update` and the like are no update.
const TOUCHES =
  /[()]|(?<!\b(?:for|key|do) )\b(from|insert into|delete from|update)\s+(?:only\s+)?"?([a-z_]\w*(?:"?\."?\w+)?)/gi

/** Names a statement after what it does, and the table: what it changes, or what its outermost part reads. */
function summaryOf(bare: string): string {
  const aliases = new Set(
    [...bare.matchAll(/(?:\bwith(?: recursive)?|,) "?(\w+)"?(?: \([^()]*\))? as (?:materialized )?\(/gi)].map(
      ([, name]) => name,
    ),
  )
  let depth = 0
  let read: { table: string; depth: number } | undefined
  for (const [text, how, table] of bare.matchAll(TOUCHES)) {
    if (how === undefined || table === undefined) depth += text === '(' ? 1 : -1
    else if (aliases.has(table)) continue
    else if (how.toLowerCase() !== 'from') return `${how.split(' ')[0]} ${table}`.toLowerCase().replaceAll('"', '')
    else if (!read || depth < read.depth) read = { table: table.replaceAll('"', ''), depth }
  }
  return read ? `select ${read.table}` : (/\w+/.exec(bare)?.[0].toLowerCase() ?? 'statement')
}

/** Names a statement (`select contact`), and tells its text without the values that stand in it. */
export function describeStatement(text: string): Described {
  let found = known.get(text)
  if (found) return found
  const bare = text
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$|[eE]?'(?:[^'\\]|''|\\.)*'/g, '?')
    .replace(/(?<![\w$."])\d+(?:\.\d+)?\b/g, '?')
    .replace(/\s+/g, ' ')
    .trim()
  found = { summary: summaryOf(bare), text: bare.slice(0, MOST) }
  known.set(text, found)
  return found
}

const textOf = (query: unknown): string | undefined =>
  typeof query === 'string' ? query : (query as { text?: string } | null)?.text

function begin(query: unknown): Span | undefined {
  const span = currentSpan()
  const text = span && textOf(query)
  if (text === undefined || isSetting(text)) return undefined
  const { summary, text: bare } = describeStatement(text)
  return span?.part(summary, {
    'db.system.name': 'postgresql',
    'db.query.summary': summary,
    'db.query.text': bare,
  })
}

/** Sends statements, each of which is a part of the span that it is sent in, where there is one. */
export function traced(send: Send): Send {
  return (query, given, done) => {
    const span = begin(query)
    if (!span) return send(query, given, done)
    const end = (error?: Error | null) => span.end(error ? (failureCode(error) ?? error.name) : undefined)
    const callback = (typeof given === 'function' ? given : done) as Callback | undefined
    if (callback) {
      const hear: Callback = (error, result) => {
        end(error)
        callback(error, result)
      }
      return typeof given === 'function' ? send(query, hear) : send(query, given, hear)
    }
    const sent = send(query, given, done) as Promise<unknown>
    sent.then(() => end(), end)
    return sent
  }
}
