import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example, ExampleRecords } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Opportunity } from './opportunity.entity.js'

@ObjectType({ description: 'A comment on an opportunity.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('opportunities:read')
@ExampleRecords({ createdAt: '2026-01-27T16:00:00.000Z' })
export class OpportunityComment {
  @Field(() => ID, { description: 'The unique id of the comment.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @Property({ type: 'uuid' })
  accountId!: string

  @ManyToOne(() => Opportunity, { mapToPk: true, fieldName: 'opportunity_id', deleteRule: 'cascade' })
  opportunityId!: string

  @Field(() => String, { description: 'What was written.' })
  @Property({ type: 'text' })
  @Example('Wants the installation in March.')
  content!: string

  @Field(() => String, { nullable: true, description: 'What the author was called; null when nobody is known.' })
  @Property({ type: 'string', length: 255, nullable: true })
  @Example('Bia Ramos')
  userName?: string | null

  @Field(() => DateTime, { description: 'When it was written.' })
  @Property({ ...timestamp, defaultRaw: 'clock_timestamp()' })
  createdAt!: Date & Opt
}
