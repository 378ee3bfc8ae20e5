import { Arg, Args, Ctx, Field, ID, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { MayFail } from '../../kit/documentation.js'
import { PageArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import type { PageOf } from '../../kit/reads/index.js'
import { ApiKey } from './api-key.entity.js'
import { ApiKeyFilter, CreateApiKeyInput, DEFAULT_OVERLAP, RotateApiKeyInput } from './api-key.inputs.js'
import { apiKeyReads } from './api-key.reads.js'
import { createKey, type IssuedKey, revokeKey, rotateKey } from './api-key.service.js'

@ObjectType({ description: 'One page of a list of keys.', simpleResolvers: true })
@ReadWith('any')
export class ApiKeyPage {
  @Field(() => [ApiKey], { description: 'The keys of the page.' })
  items!: ApiKey[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@ObjectType({ description: 'A key that was just made.', simpleResolvers: true })
@ReadWith('keys:write')
export class IssuedApiKey {
  @Field(() => ApiKey, { description: 'What is known of the key.' })
  key!: ApiKey

  @Field(() => String, { description: 'The key itself: it is shown this once, and cannot be found out later.' })
  secret!: string
}

@Resolver()
export class ApiKeyResolver {
  @Query(() => ApiKeyPage, { description: "The account's keys, newest first, those that have ended among them." })
  @Requires('keys:write')
  apiKeys(
    @Ctx() context: Context,
    @Arg('filter', () => ApiKeyFilter, { nullable: true, description: 'Which keys to list; all if left out.' })
    filter: ApiKeyFilter | null,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<PageOf<Omit<ApiKey, 'hash' | 'accountId'>>> {
    return apiKeyReads.list(context, { filter, ...paging })
  }

  @Mutation(() => IssuedApiKey, {
    description:
      'Makes a key that may do no more than whoever makes it; made by a key, it lives no longer and calls no more often. ' +
      'LIMIT_REACHED when the account has 100 in force.',
  })
  @Requires('keys:write')
  @MayFail('LIMIT_REACHED')
  createApiKey(
    @Ctx() { db }: Context,
    @Arg('input', () => CreateApiKeyInput, { description: 'The new key.' }) input: CreateApiKeyInput,
  ): Promise<IssuedKey> {
    return createKey(db, input)
  }

  @Mutation(() => IssuedApiKey, {
    description:
      'Replaces a key: makes a second one with the same name, permissions and allowance, and ends the old one after the ' +
      'overlap. Rotated by a key, the new one lives no longer than that key and the old one.',
  })
  @Requires('keys:write')
  @MayFail('NOT_FOUND', 'LIMIT_REACHED')
  rotateApiKey(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the key, which must be in force.' }) id: string,
    @Arg('input', () => RotateApiKeyInput, {
      defaultValue: { overlapSeconds: DEFAULT_OVERLAP },
      description: 'How to do it.',
    })
    input: RotateApiKeyInput,
  ): Promise<IssuedKey> {
    return rotateKey(db, id, input)
  }

  @Mutation(() => ApiKey, {
    description:
      'Ends a key: here at once, in other processes within a second. Of a key that has ended nothing changes.',
  })
  @Requires('keys:write')
  @MayFail('NOT_FOUND')
  revokeApiKey(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the key.' }) id: string,
    @Arg('evenThisOne', () => Boolean, {
      defaultValue: false,
      description: 'Says that the key of this very call is meant to be ended, which is refused otherwise.',
    })
    evenThisOne: boolean,
  ): Promise<ApiKey> {
    return revokeKey(db, id, evenThisOne)
  }
}
