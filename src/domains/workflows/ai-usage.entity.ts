import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { TenantOwned } from '../../database/index.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'

/** What an account has used of a model's tokens in one day (UTC). */
@Entity()
@TenantOwned()
export class AiUsage {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Property({ type: 'date' })
  day!: string

  /** With what is set aside for questions that are being answered. */
  @Property({ type: 'bigint' })
  tokens!: string

  /** How many questions were asked. */
  @Property({ type: 'integer' })
  requests!: number
}
