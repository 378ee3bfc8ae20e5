import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type pg from 'pg'

/** The parts of the driver's client that its types leave out. */
interface Driver {
  processID: number
  secretKey: number
  _activeQuery: object | null
  connection: EventEmitter & {
    stream: Socket
    connect(port: number | string, host?: string): void
    cancel(processID: number, secretKey: number): void
  }
  host: string
  port: number
}

const driverOf = (client: pg.ClientBase) => client as unknown as Driver

/** The number of the connection's backend. */
export const backendOf = (client: pg.ClientBase): number => driverOf(client).processID

/** The statement whose answer the connection waits for, only to be compared; null where there is none. */
export const awaitedBy = (client: pg.ClientBase): object | null => driverOf(client)._activeQuery

/** Ends a connection whatever it is doing, without a word to the server; who waits for an answer gets an error. */
export function cut(client: pg.ClientBase): void {
  driverOf(client).connection.stream.destroy()
}

/**
 * Has all that is sent to the server until the running jobs are done go out in one packet: what nobody waits for leaves
 * with what follows it.
 */
export function sendTogether(client: pg.ClientBase): void {
  const { stream } = driverOf(client).connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** How long a request to cancel may take to reach the server. */
const CANCEL_MS = 2000

/**
 * Asks the server to cancel what the connection's backend does, by way of `messenger`, a connection that was not opened
 * yet. Resolves when the server has passed it on: only then can it not hit a later statement any more.
 */
export function cancel(client: pg.ClientBase, messenger: pg.Client): Promise<void> {
  const { processID, secretKey } = driverOf(client)
  const { connection, host, port } = driverOf(messenger)
  return new Promise((resolve) => {
    const timer = setTimeout(() => connection.stream.destroy(), CANCEL_MS)
    connection.on('error', () => {})
    connection.once('end', () => {
      clearTimeout(timer)
      resolve()
    })
    connection.once('connect', () => connection.cancel(processID, secretKey))
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
    else connection.connect(port, host)
  })
}
