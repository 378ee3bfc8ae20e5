import { Ctx, Field, ID, Int, ObjectType, Query, Resolver } from 'type-graphql'
import { type Context, perRequest } from '../../database/index.js'
import { ExampleRecords } from '../../kit/documentation.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import { SERVICE } from '../../shared/service.js'
import { Account } from './account.entity.js'
import { accountLoader } from './account.loaders.js'

@ObjectType({
  description: 'What a request was made with: an API key, or the session of a person.',
  simpleResolvers: true,
})
@ReadWith('any')
@ExampleRecords({ name: 'Website form', permissions: ['contacts:read', 'contacts:write', 'opportunities:*'] })
export class SessionKey {
  @Field(() => ID, { description: 'The unique id of the key, or of the session.' })
  id!: string

  @Field(() => String, {
    description: 'What the key is for, in the words of who made it; of a session the name of its person.',
  })
  name!: string

  @Field(() => [String], { description: 'The permissions of the key, wildcards among them, or of the person.' })
  permissions!: readonly string[]
}

@ObjectType({ description: 'How much of the hourly allowance a key or a person has left.', simpleResolvers: true })
@ReadWith('any')
@ExampleRecords({ limit: 1000, remaining: 999, reset: 1769853600 })
export class RateLimitState {
  @Field(() => Int, { description: 'Requests that the key or the person may make in an hour.' })
  limit!: number

  @Field(() => Int, { description: 'Requests left in the running hour.' })
  remaining!: number

  @Field(() => Int, { description: 'Unix timestamp in seconds at which the hour ends.' })
  reset!: number
}

@ObjectType({ description: 'For whom a request was made, and with what.', simpleResolvers: true })
@ReadWith('any')
export class Session {
  @Field(() => Account, { description: 'The account that the key or the person belongs to.' })
  account!: Account

  @Field(() => SessionKey, { description: 'The key itself; of somebody who has signed in, the session.' })
  key!: SessionKey

  @Field(() => RateLimitState, { nullable: true, description: 'What is left of the hour, after this request.' })
  rateLimit?: RateLimitState
}

@ObjectType({ description: 'The service that answers.', simpleResolvers: true })
@ReadWith('any')
@ExampleRecords({ message: SERVICE.message, version: SERVICE.version, documentation: SERVICE.documentation })
export class ServiceInfo {
  @Field(() => String, { description: 'A greeting that shows the key works.' })
  message!: string

  @Field(() => String, { description: 'The version of the service.' })
  version!: string

  @Field(() => String, { description: 'Where the documentation is.' })
  documentation!: string
}

@Resolver()
export class SessionResolver {
  @Query(() => Session, { description: 'The account, the key or session, and its allowance: a check that it works.' })
  @Requires('any')
  async session(@Ctx() context: Context): Promise<Session> {
    const { viewer, rate } = context
    const account = await perRequest(context, accountLoader).load(viewer.accountId)
    const { id, name } = viewer.actor
    return { account, key: { id, name, permissions: viewer.permissions }, rateLimit: rate }
  }

  @Query(() => ServiceInfo, { description: 'What service answers, in which version, and where it is documented.' })
  @Requires('any')
  service(): ServiceInfo {
    return SERVICE
  }
}
