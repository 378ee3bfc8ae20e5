import type pg from 'pg'
import { NamedQuery } from './named-query.js'

// Statements that PostgreSQL parses and plans once for each connection. Writes of the unit of work come as the same few
// texts again and again; reads say themselves whether a plan made without their values serves them.
const WRITE = /^(insert|update|delete) /i
// Statements that only step behind the wall of row security or out of it: the same for every endpoint.
const WALL = 'select set_config('
const MAX_NAMES = 1000
const TIMES_BEFORE = 3

const names = new Map<string, string>()
const seen = new Map<string, number>()

/** Has every connection prepare this text under a name. Only for texts whose best plan does not depend on the values. */
export function prepareText(text: string): void {
  if (!names.has(text) && names.size < MAX_NAMES) names.set(text, `s${names.size}`)
}

function nameOf(text: string): string | undefined {
  const name = names.get(text)
  if (name || !WRITE.test(text) || text.length > 4000 || seen.size > MAX_NAMES) return name
  const times = (seen.get(text) ?? 0) + 1
  seen.set(text, times)
  if (times > TIMES_BEFORE) prepareText(text)
  return undefined
}

/** Sees each statement's text before it is sent; tests count statements with it. */
export type StatementListener = (text: string) => void

type Callback = ConstructorParameters<typeof NamedQuery>[3]

/** Makes a new connection of the pool use prepared statements, whoever sends the text through it. */
export function usePreparedStatements(client: pg.PoolClient, listener: () => StatementListener | undefined): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  const run = (name: string, text: string, values: unknown, done: Callback) =>
    query(new NamedQuery(name, text, values, done))
  const patched = (text: unknown, values?: unknown, done?: Callback) => {
    if (typeof text !== 'string') return query(text, values, done)
    if (!text.startsWith(WALL)) listener()?.(text)
    const name = nameOf(text)
    if (!name) return query(text, values, done)
    if (done) return run(name, text, values, done)
    return new Promise((resolve, reject) => {
      run(name, text, values, (error, result) => (error ? reject(error) : resolve(result)))
    }).catch((error) => {
      Error.captureStackTrace(error) // it would lead to the socket, not to whoever asked
      throw error
    })
  }
  client.query = patched as typeof client.query
}
