import type { EntityManager } from '@mikro-orm/postgresql'
import type { Database } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import { textFault, tidy } from '../../shared/text.js'
import { addDefaultPipeline } from '../pipelines/index.js'
import { Account } from './account.entity.js'
import { User, UserRole } from './user.entity.js'

export interface NewAccount {
  name: string
  isDemo?: boolean
}

/** The operator's side of accounts. */
export class Accounts {
  constructor(private readonly database: Database) {}

  /**
   * Stores a new account with its default pipeline and its owner, whose address is a placeholder until it is changed; in
   * the given unit of work if it is part of a larger one.
   */
  async create({ name, isDemo = false }: NewAccount, em: EntityManager = this.database.fork()): Promise<Account> {
    const tidied = tidy(name)
    const fault = tidied === '' ? 'must not be empty' : textFault(tidied, 255)
    if (fault) throw new AppError('VALIDATION_ERROR', `The name ${fault}.`)
    const account = em.create(Account, { name: tidied, isDemo })
    addDefaultPipeline(em, account.id)
    const email = `owner@${account.id}.invalid`
    em.create(User, { accountId: account.id, name: 'Owner', email, role: UserRole.OWNER })
    await em.flush()
    return account
  }

  /** Whether the service holds no account at all, as after the very first start. */
  async none(): Promise<boolean> {
    return (await this.database.fork().count(Account)) === 0
  }

  /** Removes the demo account with everything in it, if there is one. */
  async deleteDemo(em: EntityManager): Promise<void> {
    await em.nativeDelete(Account, { isDemo: true })
  }
}
