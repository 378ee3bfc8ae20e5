import type { EntityClass } from '@mikro-orm/postgresql'
import type { NonEmptyArray } from 'type-graphql'
import type { Tally } from '../database/index.js'
import { Account, ApiKey, SessionResolver } from './accounts/index.js'
import {
  Contact,
  ContactActivityResolver,
  ContactNote,
  ContactResolver,
  ContactTag,
  ContactTouch,
  contactTally,
} from './contacts/index.js'
import { Tag, TagResolver } from './reference/index.js'

/** Every entity of the product. */
export const entities: EntityClass<unknown>[] = [Account, ApiKey, Tag, Contact, ContactTag, ContactNote, ContactTouch]

/** Every tally of the product. */
export const tallies: readonly Tally[] = [contactTally]

/** Every resolver of the product. */
// biome-ignore lint/complexity/noBannedTypes: the type that type-graphql takes
export const resolvers: NonEmptyArray<Function> = [
  SessionResolver,
  ContactResolver,
  ContactActivityResolver,
  TagResolver,
]
