import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt, Rel } from '@mikro-orm/postgresql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { newId } from '../../shared/ids.js'
import { Opportunity } from './opportunity.entity.js'

/** Something that was asked for along with the creation of an opportunity, from then on until for good. */
@Entity()
@TenantOwned()
export class OpportunityAction {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @Property({ type: 'uuid' })
  accountId!: string

  @ManyToOne(() => Opportunity, { deleteRule: 'cascade' })
  opportunity!: Rel<Opportunity>

  @Property({ type: 'string', length: 32 })
  name!: string

  /** The ids that were given. */
  @Property({ type: 'json' })
  input!: Record<string, string>

  /** When somebody began with it, of one that reaches outside of our database. */
  @Property({ ...timestamp, nullable: true })
  claimedAt?: Date | null

  /** The block that is told of it, once it is known. */
  @Property({ type: 'json', nullable: true })
  result?: object | null

  @Property({ ...timestamp, defaultRaw: 'now()' })
  createdAt!: Date & Opt
}
