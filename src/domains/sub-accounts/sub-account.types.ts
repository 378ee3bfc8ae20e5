import { Field, ID, Int, ObjectType } from 'type-graphql'
import { Example, ExampleRecords, exampleId } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'

/** The sub-account of the documentation's examples. */
export const EXAMPLE_SUB_ACCOUNT = exampleId('sub-account Padaria Central')
const BORN = '2026-01-31T09:30:00.000Z'
const PERIOD_END = '2026-02-15T12:00:00.000Z'

@ObjectType({ description: 'How many seats a sub-account has in each channel.', simpleResolvers: true })
@ReadWith('any')
@ExampleRecords({ linkedin: 2, whatsapp: 1, instagram: 0, emailMarketing: 0 })
export class ChannelQuotas {
  @Field(() => Int, { description: 'Seats for LinkedIn.' })
  linkedin!: number

  @Field(() => Int, { description: 'Seats for WhatsApp.' })
  whatsapp!: number

  @Field(() => Int, { description: 'Seats for Instagram.' })
  instagram!: number

  @Field(() => Int, { description: 'Seats for email marketing.' })
  emailMarketing!: number
}

@ObjectType({ description: 'The first admin of a sub-account.', simpleResolvers: true })
@ReadWith('any')
export class SubAccountAdmin {
  @Field(() => ID, { description: "The unique id of the admin's user." })
  @Example(exampleId('user Ana Prado'))
  id!: string

  @Field(() => String, { description: 'The address with which the admin signs in.' })
  @Example('ana@padaria-central.example')
  email!: string
}

@ObjectType({ description: 'Seats of one channel that were paid for.', simpleResolvers: true })
@ReadWith('any')
@ExampleRecords({ channelType: 'linkedin', count: 2 }, { channelType: 'whatsapp', count: 1 })
export class BilledChannel {
  @Field(() => String, { description: 'The channel.' })
  channelType!: string

  @Field(() => Int, { description: 'How many seats.' })
  count!: number
}

@ObjectType({ description: 'What a creation costs.', simpleResolvers: true })
@ReadWith('any')
export class CreationBilling {
  @Field(() => String, {
    description:
      'What has become of the invoice: `none` without seats, `paid`, or `open` while it waits on the balance.',
  })
  @Example('paid')
  invoiceStatus!: string

  @Field(() => Int, { description: "What this call's seats cost, in the currency's smallest unit." })
  @Example(7350)
  totalCents!: number

  @Field(() => String, { description: 'The ISO 4217 code of the currency.' })
  @Example('BRL')
  currency!: string

  @Field(() => DateTime, { description: 'When the cycle ends for which the seats are paid.' })
  @Example(PERIOD_END)
  periodEnd!: Date

  @Field(() => [BilledChannel], { description: 'The channels that have seats.' })
  items!: BilledChannel[]
}

@ObjectType({ description: 'The trial of a sub-account, while it runs.', simpleResolvers: true })
@ReadWith('any')
export class SubAccountTrial {
  @Field(() => String, { description: 'Always `active`.' })
  @Example('active')
  status!: string

  @Field(() => DateTime, { description: 'When it ends; its seats cost from then on.' })
  @Example(PERIOD_END)
  endsAt!: Date

  @Field(() => [String], { description: 'The channels that can be had during it.' })
  @Example(['whatsapp'])
  channels!: string[]
}

@ObjectType({ description: 'A sub-account that was just created.', simpleResolvers: true })
@ReadWith('any')
export class CreatedSubAccount {
  @Field(() => ID, { description: "The unique id of the sub-account, which is its account's." })
  @Example(EXAMPLE_SUB_ACCOUNT)
  id!: string

  @Field(() => String, { description: "The client's name." })
  @Example('Padaria Central')
  name!: string

  @Field(() => String, { description: 'The name as it may stand in an address; unique in the whole service.' })
  @Example('padaria-central')
  slug!: string

  @Field(() => String, { nullable: true, description: 'How your own program calls the sub-account.' })
  @Example('client-1042')
  externalRef!: string | null

  @Field(() => DateTime, { description: 'When it was created.' })
  @Example(BORN)
  createdAt!: Date

  @Field(() => SubAccountAdmin, { description: 'Its first admin.' })
  admin!: SubAccountAdmin

  @Field(() => ChannelQuotas, { description: 'Its seats by channel.' })
  channels!: ChannelQuotas

  @Field(() => CreationBilling, { description: 'What it costs.' })
  billing!: CreationBilling

  @Field(() => SubAccountTrial, { nullable: true, description: 'Its trial; none at the beginning.' })
  @Example(null)
  trial!: SubAccountTrial | null

  @Field(() => String, {
    description:
      'The password with which the admin signs in for the first time. It is told this once, and stored nowhere.',
  })
  @Example('k3Wq9ZtB7xLm')
  temporaryPassword?: string
}

@ObjectType({ description: 'What was charged for further seats.', simpleResolvers: true })
@ReadWith('any')
@ExampleRecords({ ok: true, paid: true, chargedCents: 2450, addedChannels: 1 })
export class SeatCharge {
  @Field(() => Boolean, { description: 'True: the seats can be used.' })
  ok!: boolean

  @Field(() => Boolean, {
    description: 'Whether the amount was collected; one that is too small waits on the balance for the next charge.',
  })
  paid!: boolean

  @Field(() => Int, { description: "What the seats of this call cost, in the currency's smallest unit." })
  chargedCents!: number

  @Field(() => Int, { description: 'How many seats more the agency pays for.' })
  addedChannels!: number
}

@ObjectType({ description: 'What a change of channels came to.', simpleResolvers: true })
@ReadWith('any')
export class ChangedChannels {
  @Field(() => ID, { description: 'The unique id of the sub-account.' })
  @Example(EXAMPLE_SUB_ACCOUNT)
  id!: string

  @Field(() => ChannelQuotas, { description: 'Its seats by channel from now on.' })
  @Example({ linkedin: 3, whatsapp: 1, instagram: 0, email_marketing: 0 })
  channels!: ChannelQuotas

  @Field(() => Int, { description: 'How many seats more, or fewer, the agency pays for.' })
  @Example(1)
  deltaChannels!: number

  @Field(() => SeatCharge, { nullable: true, description: 'What was charged; null when nothing was.' })
  seatCharge!: SeatCharge | null
}

@ObjectType({ description: 'The trace of a sub-account that was deleted.', simpleResolvers: true })
@ReadWith('any')
export class DeletedSubAccount {
  @Field(() => ID, { description: 'The id that the sub-account had.' })
  @Example(EXAMPLE_SUB_ACCOUNT)
  id!: string

  @Field(() => DateTime, { description: 'When it was deleted.' })
  @Example('2026-03-01T08:00:00.000Z')
  deletedAt!: Date
}
