import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { newId } from '../../shared/ids.js'
import { Agency } from '../agencies/agency.entity.js'

const second = { columnType: 'timestamptz(0)', type: 'datetime' } as const

/** What an entry of the ledger stands for: owed for seats within a cycle or for a whole one, collected, given back, or moved. */
export type EntryKind = 'seats' | 'renewal' | 'payment' | 'refund' | 'carried'

/**
 * One line of an agency's ledger, to which lines are only added: what it owes is above 0, what it paid below. Lines of a
 * charge belong together and come to 0 when it is settled; those of none are the balance that the next charge collects.
 */
@Entity()
export class LedgerEntry {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Agency, { mapToPk: true, fieldName: 'agency_id', deleteRule: 'cascade' })
  agencyId!: string

  /** The charge to whose sum it counts. */
  @Property({ type: 'uuid', nullable: true })
  chargeId?: string

  /** The charge from which it comes. */
  @Property({ type: 'uuid' })
  sourceId!: string

  @Property({ type: 'string', length: 16 })
  kind!: EntryKind

  /** In the smallest unit of the agency's currency. */
  @Property({ type: 'bigint' })
  cents!: number

  @Property({ ...second })
  at!: Date
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
