import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_LENGTH = 32
const CHECKSUM_LENGTH = 6
const SHOWN_LENGTH = 6

/** A new secret: the prefix, 32 random base62 characters and a checksum that tells a typing error from a wrong key. */
export function makeCredential(prefix: string): string {
  let secret = ''
  for (let i = 0; i < SECRET_LENGTH; i++) secret += BASE62[randomInt(62)]
  return prefix + secret + checksum(prefix + secret)
}

/** Whether a text can be a credential of this kind at all; saves the database the guesses. */
export function isCredential(prefix: string, text: string): boolean {
  if (text.length !== prefix.length + SECRET_LENGTH + CHECKSUM_LENGTH || !text.startsWith(prefix)) return false
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)
}

/** What is stored instead of a credential: it cannot be turned back, and 190 random bits need no salt. */
export function hashCredential(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

/** The beginning of a credential, by which people recognise it in lists. */
export function shownPrefix(prefix: string, text: string): string {
  return text.slice(0, prefix.length + SHOWN_LENGTH)
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
