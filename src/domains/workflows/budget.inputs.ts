import { Field, Float, InputType } from 'type-graphql'

@InputType({ description: 'What to change of the budget for the language model: a field left out stays.' })
export class UpdateAiBudgetInput {
  @Field(() => Float, {
    nullable: true,
    description:
      'Tokens that the agents of the account may use in a day: from 20,000, which one answer takes, to maxDailyTokens, or 0 ' +
      'to have the model asked nothing. Null leaves it to the operator of the service.',
  })
  dailyTokens?: number | null
}
