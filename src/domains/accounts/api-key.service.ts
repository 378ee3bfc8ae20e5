import type { EntityManager } from '@mikro-orm/postgresql'
import type { Database } from '../../database/index.js'
import { isGrantable, type Permissions } from '../../kit/permissions.js'
import { hashCredential, makeCredential, shownPrefix } from '../../shared/credential.js'
import { AppError } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { textFault, tidy } from '../../shared/text.js'
import { Account } from './account.entity.js'
import { ApiKey } from './api-key.entity.js'

export const KEY_PREFIX = 'fl_live_'
export const DEFAULT_RATE_LIMIT = 1000
const MAX_NAME_LENGTH = 255
const MAX_RATE_LIMIT = 2_147_483_647

export interface NewKey {
  accountId: string
  name: string
  permissions: string[]
  /** Requests an hour. */
  rateLimit?: number
}

/** A key with its secret, which is shown this once. */
export interface IssuedKey {
  key: ApiKey
  secret: string
}

/** The operator's side of API keys: issue, list and revoke. */
export class Keys {
  /** `declared` are the permissions that can be granted. */
  constructor(
    private readonly database: Database,
    private readonly declared: Permissions,
  ) {}

  /** Stores a new key, in the given unit of work if it is part of a larger one. */
  async create(
    { accountId, name, permissions, rateLimit = DEFAULT_RATE_LIMIT }: NewKey,
    em: EntityManager = this.database.fork(),
  ): Promise<IssuedKey> {
    const tidied = tidy(name)
    const fault = tidied === '' ? 'must not be empty' : textFault(tidied, MAX_NAME_LENGTH)
    if (fault) throw new AppError('VALIDATION_ERROR', `The name ${fault}.`)
    checkPermissions(permissions, this.declared)
    if (!Number.isInteger(rateLimit) || rateLimit < 1 || rateLimit > MAX_RATE_LIMIT) {
      throw new AppError('VALIDATION_ERROR', 'The rate limit must be a whole number of requests an hour, at least 1.')
    }
    if (!isUuid(accountId) || !(await em.findOne(Account, accountId))) {
      throw new AppError('NOT_FOUND', `There is no account ${accountId}.`)
    }
    const secret = makeCredential(KEY_PREFIX)
    const prefix = shownPrefix(KEY_PREFIX, secret)
    const key = em.create(ApiKey, {
      accountId,
      name: tidied,
      prefix,
      hash: hashCredential(secret),
      permissions,
      rateLimit,
    })
    await em.flush()
    return { key, secret }
  }

  /** The keys of an account, or all, newest first, the revoked ones among them. */
  async list(accountId?: string): Promise<ApiKey[]> {
    if (accountId !== undefined && !isUuid(accountId)) return []
    return this.database.fork().find(ApiKey, accountId ? { accountId } : {}, { orderBy: { id: 'desc' } })
  }

  /** Ends a key. Processes other than this one notice within a second. Revoking twice keeps the first moment. */
  async revoke(id: string): Promise<ApiKey> {
    const em = this.database.fork()
    const key = isUuid(id) ? await em.findOne(ApiKey, id) : null
    if (!key) throw new AppError('NOT_FOUND', `There is no key ${id}.`)
    key.revokedAt ??= new Date()
    await em.flush()
    return key
  }
}

function checkPermissions(permissions: readonly string[], declared: Permissions): void {
  if (permissions.length === 0) throw new AppError('VALIDATION_ERROR', 'A key needs at least one permission.')
  const unknown = permissions.filter((permission) => !isGrantable(permission, declared))
  if (unknown.length > 0) throw new AppError('VALIDATION_ERROR', `Unknown permission: ${unknown.join(', ')}.`)
}
