import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import type { Database } from '../../src/database/index.js'

/** What some work made the database do. */
export interface Statements<T> {
  result: T
  /** Its own ones and those of requests that came meanwhile; neither background work nor look-ups of keys. */
  statements: string[]
  /** Look-ups of keys, which come again when one has been known for a moment: how many depends on time. */
  lookUps: string[]
}

/** What causes a statement: a request to a server, or work of a test. */
interface Cause {
  port?: number
  work?: symbol
  number: number
}

const cause = new AsyncLocalStorage<Cause>()
let last = 0

// Before the server calls its handler, so that all which the request does, and nothing else, has it for its cause.
subscribe('http.server.request.start', (message) => {
  const address = (message as { server: Server }).server.address()
  if (typeof address === 'object') cause.enterWith({ port: address?.port, number: ++last })
})

/** Runs the work and tells the statements that it caused. */
export async function statementsOf<T>(database: Database, port: number, run: () => Promise<T>): Promise<Statements<T>> {
  const all: string[] = []
  const work = Symbol('work')
  const number = ++last
  database.listen((text) => {
    const of = cause.getStore()
    if (of && (of.work === work || (of.port === port && of.number > number))) all.push(text)
  })
  try {
    const result = await cause.run({ work, number }, run)
    const isLookUp = (text: string) => /\bfrom api_key where hash\b/.test(text)
    return { result, statements: all.filter((text) => !isLookUp(text)), lookUps: all.filter(isLookUp) }
  } finally {
    database.listen(undefined)
  }
}
