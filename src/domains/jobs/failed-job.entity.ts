import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, Int, ObjectType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import type { JobIds } from '../../kit/job.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime, JSONObject } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'

@ObjectType({
  description: 'A background job that failed as often as it is tried: kept until it is run again or dismissed.',
  simpleResolvers: true,
})
@Entity()
@TenantOwned()
@ReadWith('settings:write')
export class FailedJob {
  @Field(() => ID, { description: 'The unique id of the job.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => String, { description: 'What kind of job it is.' })
  @Property({ type: 'text' })
  name!: string

  @Field(() => JSONObject, { description: 'The ids of the records that it is about.' })
  @Property({ type: 'json' })
  ids!: JobIds

  @Field(() => Int, { description: 'How often it was tried.' })
  @Property({ type: 'integer' })
  attempts!: number

  @Field(() => String, {
    description: 'The kind of the last failure. Its message is in the log of the service, since it may quote a record.',
  })
  @Property({ type: 'text' })
  error!: string

  @Field(() => DateTime, { description: 'When it failed for the last time.' })
  @Property({ ...timestamp, defaultRaw: 'clock_timestamp()' })
  failedAt!: Date & Opt

  @Field(() => DateTime, { description: 'When it was asked for.' })
  @Property({ ...timestamp })
  createdAt!: Date
}
