import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, Float, ID, ObjectType } from 'type-graphql'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Agency } from '../agencies/agency.entity.js'

const second = { columnType: 'timestamptz(0)', type: 'datetime' } as const

/** What an entry of the ledger stands for: owed for seats within a cycle or for a whole one, collected, given back, or moved. */
export type EntryKind = 'seats' | 'renewal' | 'payment' | 'refund' | 'carried'

/**
 * One line of an agency's ledger, to which lines are only added: what it owes is above 0, what it paid below. Lines of a
 * charge belong together and come to 0 when it is settled; those of none are the balance that the next charge collects.
 */
@ObjectType({
  description: 'A line of the ledger of an agency, to which lines are only added.',
  simpleResolvers: true,
})
@Entity()
@ReadWith('any')
export class LedgerEntry {
  @Field(() => ID, { description: 'The unique id of the line.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @Field(() => ID, { description: 'The agency whose ledger it is.' })
  @ManyToOne(() => Agency, { mapToPk: true, fieldName: 'agency_id', deleteRule: 'cascade' })
  agencyId!: string

  @Field(() => ID, {
    nullable: true,
    description: 'The charge to whose sum it counts; null for the balance that is carried over.',
  })
  @Property({ type: 'uuid', nullable: true })
  chargeId?: string

  @Field(() => ID, { description: 'The charge from which it comes.' })
  @Property({ type: 'uuid' })
  sourceId!: string

  @Field(() => String, {
    description:
      'What it stands for: seats, renewal (owed), payment (collected), refund (given back) or carried (moved).',
  })
  @Property({ type: 'string', length: 16 })
  kind!: EntryKind

  @Field(() => Float, {
    description: "The amount in the smallest unit of the agency's currency: owed above 0, paid below.",
  })
  @Property({ type: 'bigint' })
  cents!: number

  @Field(() => DateTime, { description: 'When it was added.' })
  @Property({ ...second })
  at!: Date

  @Field(() => String, { nullable: true, description: 'What the charge is for, as it stands on the invoice.' })
  description?: string | null

  @Field(() => ID, { nullable: true, description: 'The sub-account whose seats it is about; null of a renewal.' })
  subAccountId?: string | null
}

/** That the number of an agency's paid seats has changed; changes are only added, and their sum is the number. */
@Entity()
export class SeatChange {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Agency, { mapToPk: true, fieldName: 'agency_id', deleteRule: 'cascade' })
  agencyId!: string

  @Property({ type: 'uuid' })
  subAccountId!: string

  /** The charge with which they came; none when they went. */
  @Property({ type: 'uuid', nullable: true })
  chargeId?: string

  @Property({ type: 'integer' })
  seats!: number

  @Property({ ...second })
  at!: Date
}
