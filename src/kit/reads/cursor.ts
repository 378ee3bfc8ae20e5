import { type Scope, SIGNATURE_BYTES } from '../../database/index.js'
import { type AppError, invalid } from '../../shared/errors.js'
import type { Place } from './keyset.js'

/** What a cursor carries from a page to the next, so that no later page counts anew. */
export interface Cursor {
  place: Place
  /** The number of the page that it leads on from. */
  page: number
  /** How many records came up to there. */
  seen: number
  /** How many records the list had, as far as is known. */
  total: number
}

const VERSION = 1

/**
 * Writes a cursor, which only the service can: it is signed for the account and for a list with its filters and order,
 * of which it need not tell then.
 */
export function writeCursor(db: Scope, list: string, { place, page, seen, total }: Cursor): string {
  const payload = Buffer.from(JSON.stringify([VERSION, page, seen, total, place.id, ...place.values]))
  return Buffer.concat([db.sign(list, payload.toString('latin1')), payload]).toString('base64url')
}

/** Reads a cursor of this account and this very list; VALIDATION_ERROR where it is not one. */
export function readCursor(db: Scope, list: string, text: string): Cursor {
  const bytes = Buffer.from(text, 'base64url')
  const payload = bytes.subarray(SIGNATURE_BYTES)
  const signed = db.sign(list, payload.toString('latin1'))
  if (
    payload.length === 0 ||
    !signed.equals(bytes.subarray(0, SIGNATURE_BYTES)) ||
    bytes.toString('base64url') !== text
  ) {
    throw noCursor()
  }
  const [, page, seen, total, id, ...values] = JSON.parse(payload.toString()) as [
    number,
    number,
    number,
    number,
    string,
  ]
  return { place: { id, values }, page, seen, total }
}

/** VALIDATION_ERROR of a cursor that does not belong to the list. */
export function noCursor(): AppError {
  return invalid([{ path: ['cursor'], message: 'is not a cursor of this list with these filters and this order' }])
}
