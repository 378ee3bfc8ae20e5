import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'

/**
 * Nothing here refers to another table: an entry stays when its actor, its subject or its account is gone, and the
 * database lets nobody change or remove it. So no column may hold what is a contact's own, or a secret.
 */
@ObjectType({
  description: 'That somebody did something in the account; it is never changed, and stays when who did it is gone.',
  simpleResolvers: true,
})
@Entity()
@TenantOwned()
@ReadWith('audit:read')
export class AuditEntry {
  @Field(() => ID, { description: 'The unique id of the entry.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @Property({ type: 'uuid' })
  accountId!: string

  @Field(() => String, { description: 'What was done, in one word, such as created, updated, deleted or revoked.' })
  @Property({ type: 'string', length: 32 })
  @Example('updated')
  action!: string

  @Field(() => String, { description: 'The kind of record that it was done to, such as pipeline or api_key.' })
  @Property({ type: 'string', length: 32 })
  @Example('pipeline')
  subjectKind!: string

  @Field(() => ID, { nullable: true, description: 'The id of that record, which may be gone.' })
  @Property({ type: 'uuid', nullable: true })
  subjectId?: string | null

  @Field(() => [String], { description: 'The names of the fields that were changed; what they held is not kept.' })
  @Property({ columnType: 'text[]', type: 'array' })
  @Example(['name'])
  fields: string[] & Opt = []

  @Field(() => String, {
    description:
      'What acted: api_key, session, command (the command line), system (the service by itself), or unknown where a ' +
      'sign-in failed.',
  })
  @Property({ type: 'string', length: 16 })
  @Example('session')
  actorKind!: string

  @Field(() => ID, { nullable: true, description: 'The id of the key or the session; null where there is none.' })
  @Property({ type: 'uuid', nullable: true })
  actorId?: string | null

  @Field(() => String, { description: 'The name that the key or the person had then.' })
  @Property({ type: 'string', length: 255 })
  @Example('Bia Ramos')
  actorName!: string

  @Field(() => ID, { nullable: true, description: 'The id of the user whose session it was; null for all others.' })
  @Property({ type: 'uuid', nullable: true })
  userId?: string | null

  @Field(() => String, { nullable: true, description: 'The network address that the call came from, if it was one.' })
  @Property({ type: 'string', length: 45, nullable: true })
  @Example('203.0.113.7')
  address?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The tool by which an AI assistant did it, such as delete_contact; null where nobody used one.',
  })
  @Property({ type: 'string', length: 64, nullable: true })
  tool?: string | null

  @Field(() => DateTime, { description: 'When it happened.' })
  @Property({ ...timestamp, defaultRaw: 'clock_timestamp()' })
  createdAt!: Date & Opt
}
