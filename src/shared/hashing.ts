import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Gate } from './gate.js'

// OWASP's first choice: argon2id (2 to the library), 19 MiB, two passes, one lane; some 30 ms of a core.
const ARGON2 = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// Cores are shared: half of them stay for what is no sign-in.
const AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2))

// As this file, compiled or not.
const PROGRAM = new URL(`./hashing-thread${extname(import.meta.url)}`, import.meta.url)

const turns = new Gate(AT_ONCE)
const idle: Worker[] = []

/** How many passwords were hashed, to be looked at by tests. */
export const hashed = { count: 0 }

/** What is stored of a password. SERVICE_UNAVAILABLE at once when too many wait. */
export const hashOf = (password: string): Promise<string> => inTurn({ password }) as Promise<string>

/** Whether a hash is that of a password. SERVICE_UNAVAILABLE at once when too many wait. */
export const isHashOf = (stored: string, password: string): Promise<boolean> =>
  inTurn({ password, stored }) as Promise<boolean>

/** What looks like the hash of a password and is that of none, and takes as long to compare. */
export function nobodysHash(): string {
  const { memoryCost, timeCost, parallelism } = ARGON2
  const [salt, hash] = [16, 32].map((bytes) => randomBytes(bytes).toString('base64').replaceAll('=', ''))
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${salt}$${hash}`
}

function inTurn(work: { password: string; stored?: string }): Promise<unknown> {
  return turns.pass(async () => {
    hashed.count++
    const thread = idle.pop() ?? new Worker(PROGRAM, { workerData: ARGON2, execArgv: [] }) // what the process preloads is not for it
    thread.ref()
    thread.postMessage(work)
    const [result] = await once(thread, 'message') // rejects when the thread fails, which then is not used again
    thread.unref() // an idle one keeps no process from ending
    idle.push(thread)
    return result
  })
}
