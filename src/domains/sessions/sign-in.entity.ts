import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Account } from '../accounts/account.entity.js'
import { User } from '../users/user.entity.js'
import { Operator } from './operator.entity.js'

/**
 * With what a user or an operator signs in. It has their id, and triggers keep it beside them, so that an email belongs to
 * one person of the whole service; who is deleted has none.
 */
@Entity()
@TenantOwned()
export class SignIn {
  @PrimaryKey({ type: 'uuid' })
  id!: string

  /** None of an operator's. */
  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', nullable: true, deleteRule: 'cascade' })
  accountId?: string

  @ManyToOne(() => User, { mapToPk: true, fieldName: 'user_id', nullable: true, deleteRule: 'cascade' })
  userId?: string

  @ManyToOne(() => Operator, { mapToPk: true, fieldName: 'operator_id', nullable: true, deleteRule: 'cascade' })
  operatorId?: string

  /** The email in lower case. */
  @Property({ type: 'text' })
  emailKey!: string

  /** argon2id, with its parameters and salt; none until a password was chosen. */
  @Property({ type: 'string', length: 255, nullable: true })
  passwordHash?: string

  /** Whether somebody else has made the password up: nothing works until another is chosen. */
  @Property({ type: 'boolean', default: false })
  isTemporary: boolean & Opt = false

  @Property({ ...timestamp, nullable: true })
  changedAt?: Date
}
