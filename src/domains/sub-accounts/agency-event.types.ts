import { Field, ID, Int, ObjectType } from 'type-graphql'
import { Example, exampleId } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime, JSONObject } from '../../kit/scalars.js'
import { ACTIONS, AgencyEventStatus } from './agency-event.entity.js'
import { EXAMPLE_SUB_ACCOUNT } from './sub-account.types.js'

const NOON = '2026-01-31T09:30:00.000Z'

@ObjectType('AgencyEvent', {
  description: 'A call of an agency that changes something, from its beginning to its end.',
  simpleResolvers: true,
})
@ReadWith('any')
export class AgencyEventRecord {
  @Field(() => ID, { description: 'The unique id of the event, as the call was answered with it.' })
  @Example(exampleId('agency event 1'))
  id!: string

  @Field(() => String, { description: `What the call does: ${ACTIONS.map((action) => `\`${action}\``).join(', ')}.` })
  @Example('sub_account.channels.update')
  action!: string

  @Field(() => AgencyEventStatus, { description: 'How far it has come.' })
  @Example('processed')
  status!: AgencyEventStatus

  @Field(() => Int, { description: 'How often it was begun, five times at most.' })
  @Example(1)
  attempts!: number

  @Field(() => ID, { nullable: true, description: 'The sub-account that it is about; null when there is none.' })
  @Example(EXAMPLE_SUB_ACCOUNT)
  targetAccountId!: string | null

  @Field(() => JSONObject, { nullable: true, description: 'What the answer held, without a password.' })
  @Example({
    id: EXAMPLE_SUB_ACCOUNT,
    channels: { linkedin: 3, whatsapp: 1, instagram: 0, email_marketing: 0 },
    delta_channels: 1,
    seat_charge: { ok: true, paid: true, chargedCents: 2450, addedChannels: 1 },
  })
  result!: Record<string, unknown> | null

  @Field(() => String, { nullable: true, description: 'The code of the error that it failed with.' })
  @Example(null)
  errorCode!: string | null

  @Field(() => String, { nullable: true, description: 'What the last attempt failed for, in words.' })
  @Example(null)
  lastError!: string | null

  @Field(() => DateTime, { description: 'When the call came.' })
  @Example(NOON)
  receivedAt!: string

  @Field(() => DateTime, { nullable: true, description: 'When it was last begun.' })
  @Example(NOON)
  lastAttemptAt!: string | null

  @Field(() => DateTime, { nullable: true, description: 'When it came to its end.' })
  @Example('2026-01-31T09:30:01.250Z')
  processedAt!: string | null
}
