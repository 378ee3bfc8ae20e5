import { Arg, Args, Ctx, Field, ID, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { MayFail } from '../../kit/documentation.js'
import { PageArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import { AgencyTokenFilter, CreateAgencyTokenInput } from './agency.inputs.js'
import { agencyTokenReads } from './agency.reads.js'
import { AgencyToken } from './agency-token.entity.js'
import type { IssuedToken } from './agency-token.service.js'
import { issueToken, revokeToken } from './operator-agencies.service.js'

@ObjectType({ description: 'One page of a list of tokens.', simpleResolvers: true })
@ReadWith('any')
export class AgencyTokenPage {
  @Field(() => [AgencyToken], { description: 'The tokens of the page.' })
  items!: AgencyToken[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@ObjectType({ description: 'A token that was just issued.', simpleResolvers: true })
@ReadWith('agencies:write')
export class IssuedAgencyToken {
  @Field(() => AgencyToken, { description: 'What is known of the token.' })
  token!: AgencyToken

  @Field(() => String, { description: 'The token itself: it is shown this once, and cannot be found out later.' })
  secret!: string
}

@Resolver()
export class AgencyTokenResolver {
  @Query(() => AgencyTokenPage, {
    description: "The tokens of agencies' programs, newest first, the revoked ones among them.",
  })
  @Requires('agencies:read')
  agencyTokens(
    @Ctx() context: Context,
    @Arg('filter', () => AgencyTokenFilter, { nullable: true, description: 'Which tokens to list; all if left out.' })
    filter: AgencyTokenFilter | null,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<AgencyTokenPage> {
    return agencyTokenReads.list(context, { filter, ...paging })
  }

  @Mutation(() => IssuedAgencyToken, { description: 'Issues a token of an agency, and shows it this once.' })
  @Requires('agencies:write')
  @MayFail('NOT_FOUND')
  createAgencyToken(
    @Ctx() context: Context,
    @Arg('input', () => CreateAgencyTokenInput, { description: 'The new token.' })
    { agencyId, scopes }: CreateAgencyTokenInput,
  ): Promise<IssuedToken> {
    return issueToken(context.asService(), agencyId, scopes)
  }

  @Mutation(() => AgencyToken, {
    description: 'Ends a token: here at once, in other processes within a second. Of a revoked one nothing changes.',
  })
  @Requires('agencies:write')
  @MayFail('NOT_FOUND')
  revokeAgencyToken(
    @Ctx() context: Context,
    @Arg('id', () => ID, { description: 'The id of the token.' }) id: string,
  ): Promise<AgencyToken> {
    return revokeToken(context.asService(), id)
  }
}
