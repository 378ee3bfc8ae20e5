import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, Int, ObjectType } from 'type-graphql'
import { Example } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from './account.entity.js'

/** Requests an hour of a key for which nothing else was said. */
export const DEFAULT_RATE_LIMIT = 1000

@ObjectType({ description: 'A key with which programs call the API for an account.', simpleResolvers: true })
@Entity()
@ReadWith('keys:write')
export class ApiKey {
  @Field(() => ID, { description: 'The unique id of the key.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => String, { description: 'What the key is for, in the words of who made it.' })
  @Property({ type: 'string', length: 255 })
  @Example('Website')
  name!: string

  @Field(() => String, { description: 'The beginning of the key, to recognise it by.' })
  @Property({ type: 'string', length: 32 })
  @Example('fl_live_3kTq9Z')
  prefix!: string

  /** SHA-256 of the whole key. */
  @Property({ type: 'blob' })
  hash!: Buffer

  @Field(() => [String], { description: 'The permissions of the key, wildcards among them.' })
  @Property({ columnType: 'text[]', type: 'array' })
  @Example(['contacts:*'])
  permissions!: string[]

  @Field(() => Int, { description: 'How many requests it may make in an hour.' })
  @Property({ type: 'integer', default: DEFAULT_RATE_LIMIT })
  rateLimit: number & Opt = DEFAULT_RATE_LIMIT

  @Field(() => String, {
    nullable: true,
    description: 'What made it: api_key, session, command or system; null of a key that is older than this field.',
  })
  @Property({ type: 'string', length: 16, nullable: true })
  @Example('session')
  createdByKind?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the key that made it, or of the user.' })
  @Property({ type: 'uuid', nullable: true })
  createdById?: string | null

  @Field(() => String, { nullable: true, description: 'The name that this key or user had then.' })
  @Property({ type: 'string', length: 255, nullable: true })
  @Example('Bia Ramos')
  createdByName?: string | null

  @Field(() => DateTime, { description: 'When the key was made.' })
  @Property({ columnType: 'timestamptz(3)', type: 'datetime', defaultRaw: 'now()' })
  createdAt!: Date & Opt

  @Field(() => DateTime, { nullable: true, description: 'When it was last used, to some seconds.' })
  @Property({ columnType: 'timestamptz(3)', type: 'datetime', nullable: true })
  lastUsedAt?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'When it ends, or has ended, by itself; null for never.' })
  @Property({ columnType: 'timestamptz(3)', type: 'datetime', nullable: true })
  expiresAt?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'When somebody ended it.' })
  @Property({ columnType: 'timestamptz(3)', type: 'datetime', nullable: true })
  revokedAt?: Date | null
}
