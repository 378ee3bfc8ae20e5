import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { TenantOwned } from '../../database/index.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'

/** What an account itself lets its agents use of a model in a day; it has one of these once it has said so. */
@Entity()
@TenantOwned()
export class OwnAiBudget {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  /** Tokens; 0 where nothing is to be asked, null where it is left to the operator again. */
  @Property({ type: 'bigint', nullable: true })
  dailyTokens?: string | null
}
