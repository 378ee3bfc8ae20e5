import type { EntityManager } from '@mikro-orm/postgresql'
import { type Database, Scope } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import { newId } from '../../shared/ids.js'
import { textFault, tidy } from '../../shared/text.js'
import { Account } from './account.entity.js'
import { accountCreated } from './account.facts.js'

export interface NewAccount {
  name: string
  isDemo?: boolean
}

/** The operator's side of accounts. */
export class Accounts {
  constructor(private readonly database: Database) {}

  /**
   * Stores a new account, and with it what the other domains give it from its beginning. It gets the id of the scope,
   * whose open transaction, if there is one, it becomes part of.
   */
  async create(
    { name, isDemo = false }: NewAccount,
    db: Scope = Scope.ofOperator(this.database, newId()),
  ): Promise<Account> {
    const tidied = tidy(name)
    const fault = tidied === '' ? 'must not be empty' : textFault(tidied, 255)
    if (fault) throw new AppError('VALIDATION_ERROR', `The name ${fault}.`)
    return db.unitOfWork(async (em) => {
      const account = em.create(Account, { id: db.accountId, name: tidied, isDemo })
      await em.flush()
      await db.announce(accountCreated, { accountId: account.id })
      return account
    })
  }

  /** Removes the account of the scope, which nobody has worked in, with everything in it. */
  async removeUnused(db: Scope): Promise<void> {
    await db.unitOfWork((em) => em.nativeDelete(Account, { id: db.accountId }))
  }

  /** Whether the service holds no account at all, as after the very first start. */
  async none(): Promise<boolean> {
    return (await this.database.fork().count(Account)) === 0
  }

  /** Whether there is a demo account. */
  async hasDemo(): Promise<boolean> {
    return (await this.database.fork().count(Account, { isDemo: true })) > 0
  }

  /** Removes the demo account with everything in it, if there is one. */
  async deleteDemo(em: EntityManager): Promise<void> {
    await em.nativeDelete(Account, { isDemo: true })
  }
}

/** Removes these accounts with everything in them. */
export async function removeAccounts(em: EntityManager, ids: readonly string[]): Promise<void> {
  await em.nativeDelete(Account, { id: { $in: [...ids] } })
}
