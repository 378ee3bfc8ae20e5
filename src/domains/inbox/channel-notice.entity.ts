import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { timestamp } from '../../database/index.js'
import type { ChannelKind, Told } from '../../integrations/channels/index.js'

/**
 * One thing that a provider told and that is still to be recorded. It belongs to no account: whose the number is, is looked
 * up when it is recorded, and then the notice is gone.
 */
@Entity()
export class ChannelNotice {
  /** In the order of arrival. */
  @PrimaryKey({ type: 'bigint', autoincrement: false, generated: 'by default as identity' })
  id!: string & Opt

  @Property({ type: 'string', length: 16 })
  kind!: ChannelKind

  @Property({ type: 'text' })
  numberId!: string

  /** Those of one lane are recorded one after the other. */
  @Property({ type: 'text' })
  lane!: string

  @Property({ type: 'json' })
  what!: Told['what']

  @Property({ type: 'integer', default: 0 })
  attempts: number & Opt = 0

  /** When it is to be recorded, or, while that goes on, when whoever does it must have died. */
  @Property({ ...timestamp, defaultRaw: 'now()' })
  dueAt!: Date & Opt

  @Property({ ...timestamp, defaultRaw: 'now()' })
  receivedAt!: Date & Opt
}
