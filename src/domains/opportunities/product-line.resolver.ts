import type { GraphQLResolveInfo } from 'graphql'
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { MayFail } from '../../kit/documentation.js'
import { Requires } from '../../kit/permissions.js'
import { selectionOf } from '../../kit/selection.js'
import { Opportunity } from './opportunity.entity.js'
import type { OpportunityRow } from './opportunity.reads.js'
import { AddOpportunityProductInput, UpdateOpportunityProductInput } from './product-line.inputs.js'
import { addProduct, removeProduct, updateProduct } from './product-line.service.js'

/** The products of an opportunity. */
@Resolver()
export class ProductLineResolver {
  @Mutation(() => Opportunity, {
    description: 'Adds a product to an opportunity, whose value is the sum of its products from then on.',
  })
  @Requires('opportunities:write')
  @MayFail('NOT_FOUND')
  addOpportunityProduct(
    @Ctx() { db, viewer }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the opportunity.' }) id: string,
    @Arg('input', () => AddOpportunityProductInput, { description: 'The product.' }) input: AddOpportunityProductInput,
  ): Promise<OpportunityRow> {
    return addProduct(db, viewer.actor, id, input, selectionOf(info))
  }

  @Mutation(() => Opportunity, { description: 'Changes a product of an opportunity, and the value with it.' })
  @Requires('opportunities:write')
  @MayFail('NOT_FOUND')
  updateOpportunityProduct(
    @Ctx() { db, viewer }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('lineId', () => ID, { description: 'The id under which the opportunity has the product.' }) lineId: string,
    @Arg('input', () => UpdateOpportunityProductInput, { description: 'What to change.' })
    input: UpdateOpportunityProductInput,
  ): Promise<OpportunityRow> {
    return updateProduct(db, viewer.actor, lineId, input, selectionOf(info))
  }

  @Mutation(() => Opportunity, {
    description: 'Takes a product off an opportunity; without any left, its value is 0 until it is set.',
  })
  @Requires('opportunities:write')
  @MayFail('NOT_FOUND')
  removeOpportunityProduct(
    @Ctx() { db, viewer }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('lineId', () => ID, { description: 'The id under which the opportunity has the product.' }) lineId: string,
  ): Promise<OpportunityRow> {
    return removeProduct(db, viewer.actor, lineId, selectionOf(info))
  }
}
