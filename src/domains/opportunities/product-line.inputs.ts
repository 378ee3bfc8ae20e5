import { Field, Float, ID, InputType } from 'type-graphql'
import { MaxLength, Money, NotNull, RecordId } from '../../kit/constraints.js'
import { Example, exampleId } from '../../kit/documentation.js'

/** What a new line and a change of one have in common. */
@InputType()
abstract class LineFields {
  @Field(() => Float, { nullable: true, description: 'The discount in percent, from 0 to 100.' })
  @Example(10)
  discountPercent?: number | null

  @Field(() => Float, { nullable: true, description: 'The discount as an amount, taken off after the percentage.' })
  @Money()
  @Example(50)
  discountValue?: number | null
}

@InputType({ description: 'A product to be added to an opportunity.' })
export class AddOpportunityProductInput extends LineFields {
  @Field(() => ID, { nullable: true, description: 'The id of the product; without one, name and price are needed.' })
  @RecordId()
  @Example(exampleId('Product'))
  productId?: string | null

  @Field(() => String, { nullable: true, description: "What it is called here; the product's name if left out." })
  @MaxLength(255)
  @Example('Solar kit')
  name?: string | null

  @Field(() => Float, { nullable: true, description: 'How many, with at most three decimals; 1 if left out.' })
  @Example(2)
  quantity?: number | null

  @Field(() => Float, { nullable: true, description: "The price of one; the product's if left out." })
  @Money()
  @Example(1990.5)
  unitPrice?: number | null
}

@InputType({ description: 'What to change of a product of an opportunity: a field left out stays.' })
export class UpdateOpportunityProductInput extends LineFields {
  @Field(() => String, { nullable: true, description: 'What it is called here.' })
  @MaxLength(255)
  @NotNull()
  @Example('Solar kit')
  name?: string

  @Field(() => Float, { nullable: true, description: 'How many, with at most three decimals.' })
  @NotNull()
  @Example(2)
  quantity?: number

  @Field(() => Float, { nullable: true, description: 'The price of one.' })
  @Money()
  @NotNull()
  @Example(1990.5)
  unitPrice?: number
}
