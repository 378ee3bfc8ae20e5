import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import { timestamp } from '../../database/index.js'

/** How often a password was wrong of late, for an email or from an address; of neither more is kept than a hash. */
@Entity()
export class SignInAttempt {
  @PrimaryKey({ type: 'blob' })
  key!: Buffer

  @Property({ type: 'integer' })
  failures!: number

  /** Until then no attempt counts, be it right. */
  @Property({ ...timestamp })
  waitUntil!: Date

  @Property({ ...timestamp })
  lastAt!: Date
}
