import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { makeCredential } from '../../shared/credential.js'
import { type Fault, invalid } from '../../shared/errors.js'
import { Gate } from '../../shared/gate.js'

/** Code points of a password that somebody chooses. */
const MIN_LENGTH = 10
const MAX_LENGTH = 200

// OWASP's first choice: argon2id (2 to the library), 19 MiB, two passes, one lane; some 30 ms of a core.
const ARGON2 = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// Hashing runs on threads of its own, but cores are shared: half of them stay for what is no sign-in.
const AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2))

const hashings = new Gate(AT_ONCE)

/**
 * Where those who sign in wait before they ask the database anything: were all of them to begin at once, what else the
 * service is asked would come after them. Two more than are hashed have looked up what the next hashing needs.
 */
export const signIns = new Gate(AT_ONCE + 2)

/** How many passwords were hashed, to be looked at by tests. */
export const hashed = { count: 0 }

/** Runs a hashing when its turn comes; SERVICE_UNAVAILABLE at once when too many wait. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  return hashings.pass(() => {
    hashed.count++
    return work()
  })
}

// The same text can be typed in several ways; NIST SP 800-63B wants them to be one password.
const normal = (password: string) => password.normalize('NFKC')

/** What is stored of a password. */
export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(normal(password), ARGON2))

let nobodys: Promise<string> | undefined

/** Whether it is the password; where there is none it takes as long to find out that it is not. */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  nobodys ??= hash(makeCredential(''), ARGON2)
  const against = stored ?? (await nobodys)
  const right = await inTurn(() => verify(against, normal(password)))
  return right && stored !== undefined
}

/** A password that somebody is given to begin with: 12 characters of about 70 random bits. */
export const temporaryPassword = (): string => makeCredential('').slice(0, 12)

/** Throws VALIDATION_ERROR for a new password that is too easy to guess. */
export function requireGoodPassword(password: string, path: Fault['path'], email: string): void {
  const length = [...password].length
  const message =
    length < MIN_LENGTH
      ? `must have at least ${MIN_LENGTH} characters`
      : length > MAX_LENGTH
        ? `must have at most ${MAX_LENGTH} characters`
        : password.trim() === ''
          ? 'must not be white space alone'
          : new Set(normal(password)).size < 4
            ? 'must have more than three different characters'
            : password.toLowerCase().includes(email.toLowerCase())
              ? 'must not contain the email address'
              : undefined
  if (message) throw invalid([{ path, message }])
}
