import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, Int, ObjectType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'

@ObjectType({ description: 'Why an opportunity may be discarded or lost.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('discard_reasons:read')
export class DiscardReason {
  @Field(() => ID, { description: 'The unique id of the reason.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => String, { description: 'The name, unique in the account without regard to case.' })
  @Property({ type: 'string', length: 255 })
  @Example('No budget')
  name!: string

  @Field(() => String, { nullable: true, description: 'When the reason applies.' })
  @Property({ type: 'text', nullable: true })
  @Example('There is no money for it this year.')
  description?: string | null

  @Field(() => Boolean, { description: 'Whether the reason is in use.' })
  @Property({ type: 'boolean', default: true })
  isActive: boolean & Opt = true

  @Field(() => Int, { description: 'The place in the list of reasons, smallest first.' })
  @Property({ type: 'integer', default: 0 })
  @Example(1)
  displayOrder: number & Opt = 0

  @Field(() => DateTime, { description: 'When the reason was created.' })
  @Property({ ...timestamp, defaultRaw: 'now()' })
  createdAt!: Date & Opt

  /** When it was deleted: it is listed no longer, but what refers to it still names it. */
  @Property({ ...timestamp, nullable: true })
  deletedAt?: Date | null
}
