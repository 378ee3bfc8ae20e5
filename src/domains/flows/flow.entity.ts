import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example, ExampleRecords } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import type { Step } from './step.types.js'
import type { SendWindow } from './window.service.js'

/** Whether a flow runs. */
export enum FlowStatus {
  DRAFT = 'draft',
  ACTIVE = 'active',
  PAUSED = 'paused',
  ARCHIVED = 'archived',
}
registerEnumType(FlowStatus, {
  name: 'FlowStatus',
  description: 'Whether a flow runs.',
  valuesConfig: {
    DRAFT: { description: 'It is being prepared and takes nobody yet.' },
    ACTIVE: { description: 'It takes contacts, and its steps happen.' },
    PAUSED: { description: 'It takes nobody, and who is in it waits where it stands.' },
    ARCHIVED: { description: 'It is over for good.' },
  },
})

@ObjectType({ description: 'Steps that happen to a contact one after the other, such as mails with days between.' })
@Entity()
@TenantOwned()
@ReadWith('flows:read')
@ExampleRecords({ status: FlowStatus.ACTIVE, version: 1 })
export class Flow {
  @Field(() => ID, { description: 'The unique id of the flow.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => String, { description: 'The name, for the people of the account.' })
  @Property({ type: 'string', length: 255 })
  @Example('Welcome in three mails')
  name!: string

  @Field(() => FlowStatus, { description: 'Whether the flow runs.' })
  @Property({ type: 'string', length: 16, default: FlowStatus.DRAFT })
  status: FlowStatus & Opt = FlowStatus.DRAFT

  @Field(() => Int, {
    description: 'The number of its present version, counted from 1; who begins now keeps it to the end.',
  })
  @Property({ type: 'integer', default: 1 })
  version: number & Opt = 1

  @Field(() => DateTime, { description: 'When the flow was created.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When the flow last changed; who is in it does not count.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt
}

/** The steps of a flow as they were once; written once, since contacts follow it. */
@Entity()
@TenantOwned()
export class FlowVersion {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @ManyToOne(() => Flow, { mapToPk: true, fieldName: 'flow_id', deleteRule: 'cascade' })
  flowId!: string

  @Property({ type: 'integer' })
  number!: number

  @Property({ type: 'json' })
  steps!: Step[]

  @Property({ type: 'json', nullable: true })
  sendWindow?: SendWindow | null

  @Property({ ...timestamp, defaultRaw: 'clock_timestamp()' })
  createdAt!: Date & Opt
}
