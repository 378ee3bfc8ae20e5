import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType } from 'type-graphql'
import { timestamp } from '../../database/index.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Agency } from './agency.entity.js'

@ObjectType({ description: "A token with which an agency's programs call its API.", simpleResolvers: true })
@Entity()
@ReadWith('agencies:read')
export class AgencyToken {
  @Field(() => ID, { description: 'The unique id of the token.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @Field(() => ID, { description: 'The agency whose token it is.' })
  @ManyToOne(() => Agency, { mapToPk: true, fieldName: 'agency_id', deleteRule: 'cascade' })
  agencyId!: string

  @Field(() => String, { description: 'The beginning of the token, to recognise it by.' })
  @Property({ type: 'string', length: 32 })
  prefix!: string

  /** SHA-256 of the whole token. */
  @Property({ type: 'blob' })
  hash!: Buffer

  @Field(() => [String], { description: 'What it may do.' })
  @Property({ columnType: 'text[]', type: 'array' })
  scopes!: string[]

  @Field(() => DateTime, { description: 'When it was issued.' })
  @Property({ ...timestamp, defaultRaw: 'now()' })
  createdAt!: Date & Opt

  @Field(() => DateTime, { nullable: true, description: 'When it was last used, to some seconds.' })
  @Property({ ...timestamp, nullable: true })
  lastUsedAt?: Date

  @Field(() => DateTime, { nullable: true, description: 'When it was revoked; null while it is in force.' })
  @Property({ ...timestamp, nullable: true })
  revokedAt?: Date
}
