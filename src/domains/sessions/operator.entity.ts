import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { timestamp } from '../../database/index.js'
import { newId } from '../../shared/ids.js'

/** A person who runs the service and belongs to no account; the command line alone makes one. */
@Entity()
export class Operator {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @Property({ type: 'string', length: 255 })
  name!: string

  @Property({ type: 'string', length: 320 })
  email!: string

  @Property({ ...timestamp, defaultRaw: 'now()' })
  createdAt!: Date & Opt
}
