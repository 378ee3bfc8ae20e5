import { lookup } from 'node:dns/promises'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { ConfigError } from '../config.js'

const LOOK_UP_MS = 3000

/** Throws ConfigError unless this machine can listen on the address; before anything is started that takes its time. */
export async function requireHost(host: string): Promise<void> {
  const address = await Promise.race([
    lookup(host).catch(() => undefined),
    delay(LOOK_UP_MS, undefined, { ref: false }),
  ])
  if (!address) throw new ConfigError(`HOST: the name "${host}" cannot be looked up`)
  const fault = await tryListening(address.address)
  if (fault) throw new ConfigError(`HOST: this machine has no address "${host}" to listen on (${fault})`)
}

/** On a free port, since who has the wanted one is another matter. */
function tryListening(address: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => resolve(code ?? message))
    server.listen(0, address, () => server.close(() => resolve(undefined)))
  })
}
