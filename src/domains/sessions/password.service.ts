import { makeCredential } from '../../shared/credential.js'
import { type Fault, invalid } from '../../shared/errors.js'
import { hashOf, isHashOf, nobodysHash } from '../../shared/hashing.js'

/** Code points of a password that somebody chooses. */
const MIN_LENGTH = 10
const MAX_LENGTH = 200

// The same text can be typed in several ways; NIST SP 800-63B wants them to be one password.
const normal = (password: string) => password.normalize('NFKC')

/** What is stored of a password. */
export const hashPassword = (password: string): Promise<string> => hashOf(normal(password))

const NOBODYS = nobodysHash()

/** Whether it is the password; where there is none it takes as long to find out that it is not. */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const right = await isHashOf(stored ?? NOBODYS, normal(password))
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
