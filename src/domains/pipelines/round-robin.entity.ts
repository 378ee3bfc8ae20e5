import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import { Sector } from '../reference/sector.entity.js'
import { User } from '../users/user.entity.js'
import { Pipeline } from './pipeline.entity.js'

@ObjectType({
  description:
    'By whom new opportunities without an owner are taken, in turns: of a sector, a pipeline or the account.',
  simpleResolvers: true,
})
@Entity()
@TenantOwned()
@ReadWith('users:read')
export class RoundRobinRule {
  @Field(() => ID, { description: 'The unique id of the rule.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => ID, { nullable: true, description: 'The id of the sector that the rule is for.' })
  @ManyToOne(() => Sector, { mapToPk: true, fieldName: 'sector_id', nullable: true, deleteRule: 'cascade' })
  sectorId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the pipeline that the rule is for.' })
  @ManyToOne(() => Pipeline, { mapToPk: true, fieldName: 'pipeline_id', nullable: true, deleteRule: 'cascade' })
  pipelineId?: string | null

  @Field(() => Boolean, { description: 'Whether the rule is on.' })
  @Property({ type: 'boolean', default: true })
  isActive: boolean & Opt = true

  @Field(() => DateTime, { description: 'When the rule was created.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When the rule last changed.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt
}

/** That a user takes turns by a rule. */
@Entity()
@TenantOwned()
export class RoundRobinMember {
  @Property({ type: 'uuid' })
  accountId!: string

  @ManyToOne(() => RoundRobinRule, { primary: true, mapToPk: true, fieldName: 'rule_id', deleteRule: 'cascade' })
  ruleId!: string

  @ManyToOne(() => User, { primary: true, mapToPk: true, fieldName: 'user_id', deleteRule: 'cascade' })
  userId!: string

  /** The place in the order of turns, from 1. */
  @Property({ type: 'integer' })
  position!: number

  /** How many opportunities the rule has given it. Who comes back has as many as the others who have had the fewest. */
  @Property({ type: 'integer', default: 0 })
  turns: number & Opt = 0

  /** The number of its latest turn among all of the rule's; of those who have had equally many the longest ago is next. */
  @Property({ type: 'bigint', default: 0 })
  lastTurn: string & Opt = '0'
}
