import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql'
import { timestamp } from '../../database/index.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { ChannelQuotas, SubAccountAdmin, SubAccountTrial } from './sub-account.types.js'

/** Where a sub-account stands: one that is not active yet, or not any more, is nowhere to be seen. */
export enum SubAccountStatus {
  /** Its name, its admin's address and its place in the hour are taken; what it costs is not paid yet. */
  PROVISIONING = 'provisioning',
  ACTIVE = 'active',
  DELETED = 'deleted',
}

registerEnumType(SubAccountStatus, {
  name: 'SubAccountStatus',
  description: 'Where a sub-account stands.',
  valuesConfig: {
    PROVISIONING: { description: 'It is not there yet, and nowhere to be seen.' },
    ACTIVE: { description: 'It is in use.' },
    DELETED: { description: 'It was ended.' },
  },
})

@ObjectType({
  description: 'An account of a client of an agency, with as many seats in each channel as the agency has given it.',
  simpleResolvers: true,
})
@Entity()
@ReadWith('any')
export class SubAccount {
  @Field(() => ID, { description: "The unique id of the sub-account, which is its account's." })
  @PrimaryKey({ type: 'uuid' })
  id!: string

  @Field(() => ID, { description: 'The agency whose sub-account it is.' })
  @Property({ type: 'uuid' })
  agencyId!: string

  @Field(() => SubAccountStatus, { description: 'Where it stands.' })
  @Property({ type: 'string', length: 16 })
  status!: SubAccountStatus

  @Field(() => String, { description: "The client's name." })
  @Property({ type: 'string', length: 255 })
  name!: string

  @Field(() => String, { description: 'The name as it may stand in an address; unique in the whole service.' })
  @Property({ type: 'string', length: 255, unique: true })
  slug!: string

  @Field(() => String, {
    nullable: true,
    description: "How the agency's own program calls it; unique among its live ones.",
  })
  @Property({ type: 'string', length: 120, nullable: true })
  externalRef?: string | null

  @Property({ type: 'uuid' })
  adminId!: string

  @Property({ type: 'integer', default: 0 })
  linkedin: number & Opt = 0

  @Property({ type: 'integer', default: 0 })
  whatsapp: number & Opt = 0

  @Property({ type: 'integer', default: 0 })
  instagram: number & Opt = 0

  @Property({ type: 'integer', default: 0 })
  emailMarketing: number & Opt = 0

  /** Until when its seats are free and it has WhatsApp alone; null when it is in no trial. */
  @Property({ ...timestamp, nullable: true })
  trialEndsAt?: Date | null

  @Field(() => DateTime, { description: 'When it was created.' })
  @Property({ ...timestamp, defaultRaw: 'now()' })
  createdAt!: Date & Opt

  @Field(() => DateTime, { nullable: true, description: 'When it was deleted; null of a live one.' })
  @Property({ ...timestamp, nullable: true })
  deletedAt?: Date | null

  @Field(() => SubAccountAdmin, { nullable: true, description: 'Its first admin; null once that user is gone.' })
  admin?: SubAccountAdmin | null

  @Field(() => ChannelQuotas, { description: 'Its seats by channel.' })
  channels?: ChannelQuotas

  @Field(() => SubAccountTrial, { nullable: true, description: 'Its free trial; null when it is in none.' })
  trial?: SubAccountTrial | null

  @Field(() => Int, { description: 'How many seats the agency pays for now: none in a trial.' })
  paidSeats?: number

  @Field(() => Int, { description: 'How many users can sign in.' })
  activeUsers?: number
}
