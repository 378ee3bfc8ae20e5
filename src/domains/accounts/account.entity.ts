import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType } from 'type-graphql'
import { Example } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { newId } from '../../shared/ids.js'

@ObjectType({
  description: 'A company that uses the service; all its records belong to it alone.',
  simpleResolvers: true,
})
@Entity()
@ReadWith('any')
export class Account {
  @Field(() => ID, { description: 'The unique id of the account.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @Field(() => String, { description: 'The name of the company.' })
  @Property({ type: 'string', length: 255 })
  @Example('Sol Nascente Solar')
  name!: string

  @Field(() => String, { description: 'ISO 3166 code of the country whose phone numbers need no country code.' })
  @Property({ type: 'character', length: 2, default: 'BR' })
  @Example('BR')
  country: string & Opt = 'BR'

  @Field(() => String, { description: 'ISO 4217 code of the currency that money is in unless said otherwise.' })
  @Property({ type: 'character', length: 3, default: 'BRL' })
  @Example('BRL')
  currency: string & Opt = 'BRL'

  @Field(() => String, { description: 'The IANA time zone by whose clocks flows send their mails.' })
  @Property({ type: 'string', length: 64, default: 'America/Sao_Paulo' })
  @Example('America/Sao_Paulo')
  timeZone: string & Opt = 'America/Sao_Paulo'

  /** The one account that `fairlead demo` makes and replaces. */
  @Property({ type: 'boolean', default: false })
  isDemo: boolean & Opt = false

  @Property({ columnType: 'timestamptz(3)', type: 'datetime', defaultRaw: 'now()' })
  createdAt!: Date & Opt
}
