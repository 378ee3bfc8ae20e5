import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql'
import { type Context, perRequest } from '../../database/index.js'
import { DeletedRecord } from '../../kit/deleted.js'
import { MayFail } from '../../kit/documentation.js'
import { Requires } from '../../kit/permissions.js'
import { User } from '../users/user.entity.js'
import { RoundRobinRule } from './round-robin.entity.js'
import { RoundRobinRuleInput } from './round-robin.inputs.js'
import { listRoundRobinRules, membersLoader, type RoundRobinRuleRow } from './round-robin.reads.js'
import { deleteRoundRobinRule, setRoundRobinRule } from './round-robin.service.js'

@Resolver(() => RoundRobinRule)
export class RoundRobinResolver {
  @Query(() => [RoundRobinRule], {
    description: "The rules by which new opportunities get their owners, the account's own first.",
  })
  @Requires('users:read')
  roundRobinRules(@Ctx() { db }: Context): Promise<RoundRobinRuleRow[]> {
    return listRoundRobinRules(db)
  }

  @Mutation(() => RoundRobinRule, {
    description: 'Gives a sector, a pipeline or the account its rule, in the place of the one that it may have.',
  })
  @Requires('settings:write')
  setRoundRobinRule(
    @Ctx() { db }: Context,
    @Arg('input', () => RoundRobinRuleInput, { description: 'The rule as it is to be.' }) input: RoundRobinRuleInput,
  ): Promise<RoundRobinRuleRow> {
    return setRoundRobinRule(db, input)
  }

  @Mutation(() => DeletedRecord, { description: 'Deletes a rule; the next one that applies takes its place.' })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  deleteRoundRobinRule(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the rule.' }) id: string,
  ): Promise<DeletedRecord> {
    return deleteRoundRobinRule(db, id)
  }

  @FieldResolver(() => [User], {
    description: 'The users who take turns, in their order; the inactive among them are skipped.',
  })
  members(@Root() { id }: RoundRobinRule, @Ctx() context: Context): Promise<object[]> {
    return perRequest(context, membersLoader).load(id)
  }
}
