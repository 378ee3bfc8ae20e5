import type { EntityManager } from '@mikro-orm/postgresql'
import type { Scope } from '../../database/index.js'
import { tellChange } from '../../kit/changes.js'
import { declaredPermissions } from '../../kit/permissions.js'
import { hashCredential, makeCredential, shownPrefix } from '../../shared/credential.js'
import { AppError, type Fault, invalid, notFound } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { ApiKey, DEFAULT_RATE_LIMIT } from './api-key.entity.js'
import type { CreateApiKeyInput, RotateApiKeyInput } from './api-key.inputs.js'
import { requireGrant, wordFaults } from './api-key.policy.js'
import { standingsInTurn } from './standing.service.js'

export const KEY_PREFIX = 'fl_live_'

/** Keys in force that an account has at most. */
export const MAX_KEYS = 100

/** A key with its secret, which is shown this once. */
export interface IssuedKey {
  key: ApiKey
  secret: string
}

/** Creates a key that may do no more than whoever makes it, and, made by a key, lives no longer and calls no more often. */
export function createKey(db: Scope, input: CreateApiKeyInput): Promise<IssuedKey> {
  return db.unitOfWork(async (em) => {
    const maker = await begin(em, db)
    const permissions = [...new Set(input.permissions)]
    const faults = wordFaults(input.permissions, db.get(declaredPermissions), ['input', 'permissions'])
    const bound = maker?.expiresAt ?? null
    const expiresAt = input.expiresAt ?? bound
    faults.push(...expiryFaults(input.expiresAt, bound))
    const { rateLimit = Math.min(DEFAULT_RATE_LIMIT, maker?.rateLimit ?? DEFAULT_RATE_LIMIT) } = input
    if (maker && rateLimit > maker.rateLimit) {
      faults.push({ path: ['input', 'rateLimit'], message: `must be at most ${maker.rateLimit}, as this key's own` })
    }
    if (faults.length > 0) throw invalid(faults)
    requireGrant(db.viewer, permissions, db.get(declaredPermissions))
    return issue(em, db, { name: input.name, permissions, rateLimit, expiresAt })
  })
}

/**
 * Gives a key in force a successor with the same rights, and ends it after the overlap. Made by a key, the successor lives
 * no longer than either of the two.
 */
export function rotateKey(db: Scope, id: string, { overlapSeconds, expiresAt }: RotateApiKeyInput): Promise<IssuedKey> {
  return db.unitOfWork(async (em) => {
    const maker = await begin(em, db)
    const old = await findKey(em, db, id)
    if (!isInForce(old)) throw notFound('key in force')
    requireGrant(db.viewer, old.permissions, db.get(declaredPermissions))
    if (maker && old.rateLimit > maker.rateLimit) {
      throw new AppError(
        'INSUFFICIENT_PERMISSIONS',
        'The key may call more often than this one, which cannot rotate it.',
      )
    }
    const bound = maker ? earlier(maker.expiresAt, old.expiresAt) : null
    const faults = expiryFaults(expiresAt, bound)
    if (faults.length > 0) throw invalid(faults)
    const { name, permissions, rateLimit } = old
    const until = expiresAt ?? earlier(old.expiresAt, bound)
    const issued = await issue(em, db, { name, permissions, rateLimit, expiresAt: until }, [old.id])
    const end = new Date(Date.now() + overlapSeconds * 1000)
    if (overlapSeconds === 0) old.revokedAt = new Date()
    else old.expiresAt = earlier(old.expiresAt, end)
    db.forget(old.id)
    await tellChange(db, 'api_key', old.id, 'rotated')
    return issued
  })
}

/**
 * Ends a key, in other processes within a second; ending it twice keeps the first moment. Whoever may do less than the key
 * cannot, and a key ends itself only where `evenThisOne` says that this is meant.
 */
export function revokeKey(db: Scope, id: string, evenThisOne = false): Promise<ApiKey> {
  return db.unitOfWork(async (em) => {
    await begin(em, db)
    const key = await findKey(em, db, id)
    const isOwn = key.id === db.viewer.actor.id
    if (isOwn && !evenThisOne) {
      throw invalid([{ path: ['id'], message: 'is the key of this very call: say `evenThisOne` if that is meant' }])
    }
    if (!isOwn) requireGrant(db.viewer, key.permissions, db.get(declaredPermissions))
    if (!key.revokedAt) {
      key.revokedAt = new Date()
      db.forget(key.id)
      await tellChange(db, 'api_key', key.id, 'revoked')
    }
    return key
  })
}

/** Whether calls with the key are let in. */
const isInForce = ({ revokedAt, expiresAt }: ApiKey): boolean => !revokedAt && !(expiresAt && expiresAt <= new Date())

/** Lets changes of the account's keys come one after the other; the key that makes this one, where a key does. */
async function begin(em: EntityManager, db: Scope): Promise<ApiKey | undefined> {
  standingsInTurn(db)
  const { kind, id } = db.viewer.actor
  if (kind !== 'api_key') return undefined
  return em.findOneOrFail(ApiKey, { id, accountId: db.accountId })
}

async function findKey(em: EntityManager, db: Scope, id: string): Promise<ApiKey> {
  const key = isUuid(id) ? await em.findOne(ApiKey, { id, accountId: db.accountId }) : null
  if (!key) throw notFound('key')
  return key
}

function earlier(one: Date | null | undefined, other: Date | null | undefined): Date | null {
  if (!one || !other) return one ?? other ?? null
  return one < other ? one : other
}

function expiryFaults(wanted: Date | null | undefined, bound: Date | null): Fault[] {
  const path = ['input', 'expiresAt']
  if (!wanted) return []
  if (wanted <= new Date()) return [{ path, message: 'must lie in the future' }]
  if (bound && wanted > bound) return [{ path, message: `must be ${bound.toISOString()} at the latest` }]
  return []
}

type Rights = Pick<ApiKey, 'name' | 'permissions' | 'rateLimit' | 'expiresAt'>

/** Stores a key; `replaced` are those that need not be counted, since they are about to end. */
async function issue(em: EntityManager, db: Scope, rights: Rights, replaced: string[] = []): Promise<IssuedKey> {
  const { accountId } = db
  const inForce = await em.count(ApiKey, {
    accountId,
    revokedAt: null,
    id: { $nin: replaced },
    $or: [{ expiresAt: null }, { expiresAt: { $gt: new Date() } }],
  })
  if (inForce >= MAX_KEYS) {
    throw new AppError('LIMIT_REACHED', `An account has at most ${MAX_KEYS} keys in force: revoke one first.`)
  }
  const { kind, id, name, userId } = db.viewer.actor
  const createdById = userId ?? (isUuid(id) ? id : null)
  const by = { createdByKind: kind, createdById, createdByName: name }
  const secret = makeCredential(KEY_PREFIX)
  const prefix = shownPrefix(KEY_PREFIX, secret)
  const key = em.create(ApiKey, { ...rights, ...by, accountId, prefix, hash: hashCredential(secret) })
  await em.flush()
  await em.refresh(key)
  db.wrote(key.id)
  await tellChange(db, 'api_key', key.id, 'created')
  return { key, secret }
}

/** Ends all keys of an account that ends itself, as a part of the open transaction. */
export function revokeAllKeys(db: Scope): Promise<void> {
  return db.unitOfWork(async (em) => {
    standingsInTurn(db)
    const keys = await em.find(ApiKey, { accountId: db.accountId, revokedAt: null })
    for (const key of keys) {
      key.revokedAt = new Date()
      db.forget(key.id)
      await tellChange(db, 'api_key', key.id, 'revoked')
    }
  })
}
