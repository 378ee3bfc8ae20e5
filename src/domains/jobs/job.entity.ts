import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { TenantOwned, timestamp } from '../../database/index.js'
import type { JobIds } from '../../kit/job.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'

/** A background job that is asked for, until it is done or has failed for good. The table is its own queue. */
@Entity()
@TenantOwned()
export class Job {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Property({ type: 'text' })
  name!: string

  @Property({ type: 'json' })
  ids!: JobIds

  /** How often it was begun. */
  @Property({ type: 'integer', default: 0 })
  attempts: number & Opt = 0

  /** From when on it may be begun. Who works on it puts this off again and again, and so keeps others away. */
  @Property({ ...timestamp, defaultRaw: 'now()' })
  dueAt!: Date & Opt

  @Property({ ...timestamp, defaultRaw: 'now()' })
  createdAt!: Date & Opt
}
