import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import pg from 'pg'
import { EmbeddedPostgresError } from './errors.js'

type Wire = EventEmitter & { stream: Socket }

// SQLSTATE protocol_violation: to whoever asks for a connection, such a server is one that cannot be reached.
const REFUSED = '08P01'

/**
 * A connection to no server but one that proves by SCRAM that it knows the password. Any account of the machine can bind
 * a port that our server has left: it gets neither the password, as it would in clear text or as MD5, nor a statement.
 */
export class ScramClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    const { connection: wire } = this as unknown as { connection: Wire }
    let proven = false
    const cut = () => {
      // What stands in the same packet behind the fault must not make a connection of this.
      wire.removeAllListeners('readyForQuery')
      wire.stream.destroy()
    }
    const refuse = (what: string) => {
      cut()
      wire.emit('error', Object.assign(new EmbeddedPostgresError(`The server on the port ${what}.`), { code: REFUSED }))
    }
    // These come before the driver's own listeners, which it adds when it connects.
    wire.on('error', cut)
    wire.on('authenticationCleartextPassword', () => refuse('asks for the password in clear text'))
    wire.on('authenticationMD5Password', () => refuse('asks for the password as MD5'))
    wire.on('authenticationSASLFinal', () => {
      proven = true // or the driver finds the signature wrong, and reports it as an error before it goes on
    })
    wire.on('authenticationOk', () => {
      if (!proven) refuse('does not prove that it knows the password')
    })
  }
}

/** The class of connections to a server that may move to another port: each goes to where the server is then. */
export function clientOf(server: { readonly port: number }): typeof pg.Client {
  const there = (url: string | undefined) => {
    if (url === undefined) return undefined
    const address = new URL(url)
    address.port = String(server.port)
    return address.href
  }
  return class extends ScramClient {
    constructor(config?: string | pg.ClientConfig) {
      super(
        typeof config === 'string' ? there(config) : { ...config, connectionString: there(config?.connectionString) },
      )
    }
  }
}
