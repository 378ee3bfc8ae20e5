import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import { timestamp } from '../../database/index.js'

/** What came of comparing provider and database the last time, over so many days. */
@Entity()
export class BillingComparison {
  @PrimaryKey({ type: 'integer', autoincrement: false })
  days!: number

  /** In what they still differ after what is safe was mended. */
  @Property({ type: 'integer' })
  differences!: number

  /** Agencies that could not be compared. */
  @Property({ type: 'integer' })
  troubled!: number

  @Property({ ...timestamp })
  comparedAt!: Date

  /** Since when each comparison has found something. */
  @Property({ ...timestamp, nullable: true })
  since?: Date
}
