import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type pg from 'pg'

/**
 * A secret of the service's own, the same for all its processes: the first of them makes it, the database keeps it where
 * no tenant's statement sees it.
 */
export async function loadSecret(pool: pg.Pool, name: string): Promise<KeyObject> {
  const { rows } = await pool.query<{ value: Buffer }>(
    `with made as (insert into service_secret (name, value) values ($1, $2) on conflict do nothing returning value)
     select value from made union all select value from service_secret where name = $1`,
    [name, randomBytes(32)],
  )
  const [found] = rows
  if (!found) return loadSecret(pool, name) // another process has made it since this statement began
  return createSecretKey(found.value) // made of bytes anew, it would cost each signature five times as much
}

/** Bytes of a signature: as many as nobody guesses. */
export const SIGNATURE_BYTES = 16

/** A signature of texts, of which none can pass for a part of another. */
export function signatureOf(secret: KeyObject, ...texts: string[]): Buffer {
  const hmac = createHmac('sha256', secret)
  for (const text of texts) hmac.update(`${Buffer.byteLength(text)} `).update(text)
  return hmac.digest().subarray(0, SIGNATURE_BYTES)
}
