import { connect as connectSocket, createServer, type Server, type Socket } from 'node:net'

/** Stands between the service and PostgreSQL, and can go away, come back or fall silent. */
export interface NetworkProxy {
  port: number
  /** Ends every connection and takes no new one. */
  cut(): Promise<void>
  /** Lets nothing through and says nothing, like a network that swallows packets. */
  silence(): void
  /** Loses for ever what is sent through the connections that there are; those to come are well. */
  deafen(): void
  restore(): Promise<void>
  close(): Promise<void>
}

/** Starts a proxy in front of a port of this machine, which may change. */
export async function startProxy(target: () => number): Promise<NetworkProxy> {
  let server: Server
  let silent = false
  let deaf = 0
  const sockets = new Set<Socket>()
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server = createServer((inner) => {
        const era = deaf
        const outer = connectSocket(target(), '127.0.0.1')
        for (const [from, to] of [
          [inner, outer],
          [outer, inner],
        ] as const) {
          sockets.add(from)
          from.on('data', (chunk) => void (silent || era < deaf || to.write(chunk)))
          from.on('error', () => {})
          from.on('close', () => {
            sockets.delete(from)
            to.destroy()
          })
        }
      })
      server.once('error', reject).listen(port, '127.0.0.1', resolve)
    })
  await listen(0)
  const { port } = server!.address() as { port: number }
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return {
    port,
    cut,
    silence: () => {
      silent = true
    },
    deafen: () => {
      deaf++
    },
    restore: async () => {
      silent = false
      if (!server.listening) await listen(port)
    },
    close: cut,
  }
}
