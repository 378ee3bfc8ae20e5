import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType } from 'type-graphql'
import { newId } from '../../shared/ids.js'
import { Account } from './account.entity.js'

@ObjectType({ description: 'A key with which programs call the API for an account.', simpleResolvers: true })
@Entity()
export class ApiKey {
  @Field(() => ID, { description: 'The unique id of the key.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => String, { description: 'What the key is for, in the words of who made it.' })
  @Property({ type: 'string', length: 255 })
  name!: string

  /** The beginning of the key, to recognise it by. */
  @Property({ type: 'string', length: 32 })
  prefix!: string

  /** SHA-256 of the whole key. */
  @Property({ type: 'blob' })
  hash!: Buffer

  @Field(() => [String], { description: 'The permissions of the key, wildcards among them.' })
  @Property({ columnType: 'text[]', type: 'array' })
  permissions!: string[]

  /** Requests an hour. */
  @Property({ type: 'integer', default: 1000 })
  rateLimit: number & Opt = 1000

  @Property({ columnType: 'timestamptz(3)', type: 'datetime', defaultRaw: 'now()' })
  createdAt!: Date & Opt

  @Property({ columnType: 'timestamptz(3)', type: 'datetime', nullable: true })
  lastUsedAt?: Date

  @Property({ columnType: 'timestamptz(3)', type: 'datetime', nullable: true })
  revokedAt?: Date
}
