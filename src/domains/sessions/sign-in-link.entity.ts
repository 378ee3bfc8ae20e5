import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Account } from '../accounts/account.entity.js'
import { SignIn } from './sign-in.entity.js'

/** What a one-time link is for. */
export type LinkPurpose = 'reset' | 'invitation'

/** A link that was mailed to a person and not used yet; of each purpose a person has one at most. */
@Entity()
@TenantOwned()
export class SignInLink {
  @PrimaryKey({ type: 'uuid' })
  id!: string

  @ManyToOne(() => SignIn, { mapToPk: true, fieldName: 'sign_in_id', deleteRule: 'cascade' })
  signInId!: string

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', nullable: true, deleteRule: 'cascade' })
  accountId?: string

  @Property({ type: 'string', length: 16 })
  purpose!: LinkPurpose

  /** The email that it was mailed to, in lower case: when the person has another one the link is none any more. */
  @Property({ type: 'text' })
  emailKey!: string

  /** SHA-256 of the token. */
  @Property({ type: 'blob' })
  hash!: Buffer

  @Property({ ...timestamp })
  expiresAt!: Date
}
