import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { countStatement, type Figures } from './figures.js'
import { forget, NamedQuery } from './named-query.js'
import { isSetting } from './session.js'
import { type Send, traced } from './traced.js'

/**
 * How long a connection keeps a statement that PostgreSQL has parsed and planned for it: for good, for which there must
 * be only so many texts; as long as the text is asked for often; or not at all.
 */
export type Keep = 'for good' | 'while used' | 'never'

/** A statement with its values, on its way to a connection. */
export interface PreparedQuery {
  text: string
  values: unknown[]
  keep: Keep
  /** Under which the text is kept; of equal texts equal, of others other. */
  name: string
  /** Rows as lists of values, in the order of the columns; else they are objects. */
  rowMode?: 'array'
}

function isOurs(query: unknown): query is PreparedQuery {
  return typeof query === 'object' && query !== null && 'keep' in query
}

/** A statement that is to be kept under a name, as one that is not. */
function nameless(query: unknown): unknown {
  return typeof query === 'object' && query !== null && 'name' in query ? { ...query, name: undefined } : query
}

/** Sees each statement's text before it is sent; tests count statements with it. */
export type StatementListener = (text: string) => void

const TIMES_BEFORE = 3
/** How many texts are watched for being asked for often. */
const MAX_WATCHED = 300
/** How many statements at most a connection keeps while they are used. */
export const MAX_KEPT_WHILE_USED = 100

/** The name under which connections keep a text. */
export function nameOf(text: string): string {
  return `s${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`
}

// Texts that outsiders' choice of fields makes: those that come often are prepared, until others come more often.
const watched = new LRUCache<string, { times: number }>({ max: MAX_WATCHED })

function comesOften(text: string): boolean {
  const seen = watched.get(text) ?? { times: 0 }
  if (seen.times === 0) watched.set(text, seen)
  return ++seen.times > TIMES_BEFORE
}

type Callback = ConstructorParameters<typeof NamedQuery>[1]

/**
 * The answer to a statement. The driver's own promises keep each statement, and with it all that whoever awaits it has read,
 * until the next full collection, though it is long over.
 */
function answerOf(ask: (hear: Callback) => unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    ask((error, result) => (error ? reject(error) : resolve(result)))
  }).catch((error) => {
    Error.captureStackTrace(error) // it would lead to the socket, not to whoever asked
    throw error
  })
}

/**
 * Makes a new connection of the pool keep statements prepared, whoever sends the text through it; behind a pooler, which
 * may hand each of them to another server connection, none.
 */
export function usePreparedStatements(
  client: pg.PoolClient,
  figures: Figures,
  listener: () => StatementListener | undefined,
  pooled: boolean,
): void {
  const send = client.query.bind(client) as (...args: unknown[]) => unknown
  const whileUsed = new LRUCache<string, true>({
    max: MAX_KEPT_WHILE_USED,
    dispose: (_, name, reason) => {
      if (reason === 'evict') forget(client, name)
    },
  })

  const isKept = ({ text, keep, name }: PreparedQuery): boolean => {
    if (pooled || keep === 'never') return false
    if (keep === 'for good') whileUsed.delete(name)
    else if (comesOften(text)) whileUsed.set(name, true)
    else return false
    return true
  }

  const run = (query: PreparedQuery, done: Callback) => send(new NamedQuery(query, done))
  const patched = (query: unknown, given?: unknown, done?: Callback): unknown => {
    countStatement(client, figures)
    if (typeof query === 'string' && !isSetting(query)) listener()?.(query)
    if (!isOurs(query)) {
      const plain = pooled ? nameless(query) : query
      if (done || typeof given === 'function') return send(plain, given, done)
      return answerOf((hear) => send(plain, given, hear))
    }
    const { text, values, rowMode } = query
    listener()?.(text)
    const ask = (hear: Callback) =>
      isKept(query) ? run(query, hear) : send({ text, values, rowMode }, undefined, hear)
    return done ? ask(done) : answerOf(ask)
  }
  client.query = traced(patched as Send) as typeof client.query
}
