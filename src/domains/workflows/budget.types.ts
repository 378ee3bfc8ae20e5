import { Field, Float, Int, ObjectType } from 'type-graphql'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'

@ObjectType({
  description: 'What the agents of the account may use of the language model today, and have used.',
  simpleResolvers: true,
})
@ReadWith('agents:read')
export class AiBudget {
  @Field(() => String, { description: 'The day, in UTC, such as 2026-01-31.' })
  day!: string

  @Field(() => Float, {
    description:
      'Tokens that may be used in a day, asked and answered together: what the account has set, or the operator where it ' +
      'has not, or allows less by now.',
  })
  dailyTokens!: number

  @Field(() => Float, {
    nullable: true,
    description: 'What the account has set; null where it leaves it to the operator.',
  })
  ownDailyTokens!: number | null

  @Field(() => Float, { description: 'The most that the account may set, as the operator of the service says.' })
  maxDailyTokens!: number

  @Field(() => Float, {
    description: 'Tokens that are used, with those set aside for questions that are being answered.',
  })
  usedTokens!: number

  @Field(() => Float, { description: 'Tokens that are left.' })
  leftTokens!: number

  @Field(() => Int, { description: 'How many questions were asked.' })
  questions!: number

  @Field(() => DateTime, { description: 'When the next day begins, with a budget of its own.' })
  resetsAt!: Date
}
