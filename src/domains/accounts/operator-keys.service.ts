import { type Database, Scope } from '../../database/index.js'
import { declaredPermissions, isGrantable, type Permissions } from '../../kit/permissions.js'
import { AppError } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { textFault, tidy } from '../../shared/text.js'
import { Account } from './account.entity.js'
import { ApiKey, DEFAULT_RATE_LIMIT } from './api-key.entity.js'
import { MAX_RATE_LIMIT } from './api-key.inputs.js'
import { createKey, type IssuedKey, revokeKey, rotateKey } from './api-key.service.js'

const MAX_NAME_LENGTH = 255

/** A key that an operator wants for an account. */
export interface NewKey {
  accountId: string
  name: string
  permissions: string[]
  /** Requests an hour. */
  rateLimit?: number
  expiresAt?: Date
}

/** The operator's side of API keys, at the command line: the same use cases, of whatever account. */
export class Keys {
  constructor(private readonly database: Database) {}

  /** Creates a key, in the transaction of the scope if it has one open. */
  async create({ accountId, name, rateLimit = DEFAULT_RATE_LIMIT, ...rest }: NewKey, db?: Scope): Promise<IssuedKey> {
    const tidied = tidy(name)
    const fault = tidied === '' ? 'must not be empty' : textFault(tidied, MAX_NAME_LENGTH)
    if (fault) throw new AppError('VALIDATION_ERROR', `The name ${fault}.`)
    requireGrantable(rest.permissions, this.database.needs.get(declaredPermissions))
    if (!Number.isInteger(rateLimit) || rateLimit < 1 || rateLimit > MAX_RATE_LIMIT) {
      throw new AppError('VALIDATION_ERROR', 'The rate limit must be a whole number of requests an hour, at least 1.')
    }
    if (!db && (!isUuid(accountId) || (await this.database.fork().count(Account, accountId)) === 0)) {
      throw new AppError('NOT_FOUND', `There is no account ${accountId}.`)
    }
    return createKey(db ?? Scope.ofOperator(this.database, accountId), { name: tidied, rateLimit, ...rest })
  }

  /** The keys of an account, or all, newest first, those that have ended among them. */
  async list(accountId?: string): Promise<ApiKey[]> {
    if (accountId !== undefined && !isUuid(accountId)) return []
    return this.database.fork().find(ApiKey, accountId ? { accountId } : {}, { orderBy: { id: 'desc' } })
  }

  /** Gives a key a successor, and ends it after so many seconds. */
  async rotate(id: string, overlapSeconds: number): Promise<IssuedKey> {
    return rotateKey(await this.scopeOf(id), id, { overlapSeconds })
  }

  /** Ends a key. Processes other than this one notice within a second. Revoking twice keeps the first moment. */
  async revoke(id: string): Promise<ApiKey> {
    return revokeKey(await this.scopeOf(id), id)
  }

  private async scopeOf(id: string): Promise<Scope> {
    const key = isUuid(id) ? await this.database.fork().findOne(ApiKey, id) : null
    if (!key) throw new AppError('NOT_FOUND', `There is no key ${id}.`)
    return Scope.ofOperator(this.database, key.accountId)
  }
}

function requireGrantable(words: readonly string[], declared: Permissions): void {
  if (words.length === 0) throw new AppError('VALIDATION_ERROR', 'A key needs at least one permission.')
  const unknown = words.filter((word) => !isGrantable(word, declared))
  if (unknown.length > 0) throw new AppError('VALIDATION_ERROR', `Unknown permission: ${unknown.join(', ')}.`)
}
