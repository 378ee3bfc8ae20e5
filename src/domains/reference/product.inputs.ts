import { Field, Float, InputType } from 'type-graphql'
import { CurrencyCode, MaxLength, Money, NotNull } from '../../kit/constraints.js'

/** What a new product and a change of one have in common. */
@InputType()
abstract class ProductFields {
  @Field(() => String, { nullable: true, description: 'What the product is.' })
  @MaxLength(20_000)
  description?: string | null

  @Field(() => Float, { nullable: true, description: 'The price of one, from 0 and with at most two decimals.' })
  @Money()
  @NotNull()
  defaultPrice?: number

  @Field(() => String, { nullable: true, description: 'What the price is for, such as month; empty when paid once.' })
  @MaxLength(32)
  timeUnit?: string | null

  @Field(() => Boolean, { nullable: true, description: 'Whether the product is on sale.' })
  @NotNull()
  isActive?: boolean
}

@InputType({ description: 'A new product; on sale and free of charge unless said otherwise.' })
export class CreateProductInput extends ProductFields {
  @Field(() => String, { description: 'The name.' })
  @MaxLength(255)
  name!: string

  @Field(() => String, {
    nullable: true,
    description: "ISO 4217 code of the price's currency; the account's own if left out.",
  })
  @CurrencyCode()
  currency?: string | null
}

@InputType({ description: 'What to change of a product: a field left out stays, null or "" empties it.' })
export class UpdateProductInput extends ProductFields {
  @Field(() => String, { nullable: true, description: 'The name; it cannot be emptied.' })
  @MaxLength(255)
  @NotNull()
  name?: string

  @Field(() => String, { nullable: true, description: "ISO 4217 code of the price's currency; it cannot be emptied." })
  @CurrencyCode()
  @NotNull()
  currency?: string
}
