import { randomUUID } from 'node:crypto'
import type { Scope } from '../../src/database/index.js'
import type { Reader } from '../../src/kit/reads/index.js'

/** Whoever reads lists of an account: with a key of its own, which may read everything. */
export function readerOf(db: Scope): Reader {
  const actor = { kind: 'api_key', id: randomUUID(), name: 'Reader' } as const
  return { db, viewer: { accountId: db.accountId, permissions: ['*'], held: new Set(), actor } }
}
