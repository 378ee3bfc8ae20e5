import { Arg, Args, Ctx, Field, ID, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { DeletedRecord } from '../../kit/deleted.js'
import { MayFail } from '../../kit/documentation.js'
import { ActiveSearchArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import { Product } from './product.entity.js'
import { CreateProductInput, UpdateProductInput } from './product.inputs.js'
import { productReads } from './records.reads.js'
import { productWrites } from './records.service.js'

@ObjectType({ description: 'One page of a list of products.', simpleResolvers: true })
@ReadWith('any')
export class ProductPage {
  @Field(() => [Product], { description: 'The products of the page.' })
  items!: Product[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@Resolver()
export class ProductResolver {
  @Query(() => ProductPage, { description: "The account's products, by name." })
  @Requires('products:read')
  products(@Ctx() context: Context, @Args(() => ActiveSearchArgs) asked: ActiveSearchArgs): Promise<ProductPage> {
    return productReads.list(context, { ...asked, filter: asked })
  }

  @Mutation(() => Product, { description: 'Creates a product.' })
  @Requires('settings:write')
  createProduct(
    @Ctx() { db }: Context,
    @Arg('input', () => CreateProductInput, { description: 'The new product.' }) input: CreateProductInput,
  ): Promise<Product> {
    return productWrites.create(db, input)
  }

  @Mutation(() => Product, { description: 'Changes the given fields of a product.' })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  updateProduct(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the product.' }) id: string,
    @Arg('input', () => UpdateProductInput, { description: 'What to change.' }) input: UpdateProductInput,
  ): Promise<Product> {
    return productWrites.update(db, id, input)
  }

  @Mutation(() => DeletedRecord, {
    description: 'Deletes a product: it can be used no longer, but what refers to it still names it.',
  })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  deleteProduct(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the product.' }) id: string,
  ): Promise<DeletedRecord> {
    return productWrites.delete(db, id)
  }
}
