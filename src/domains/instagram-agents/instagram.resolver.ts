import { Arg, Args, Ctx, Field, FieldResolver, ID, Mutation, ObjectType, Query, Resolver, Root } from 'type-graphql'
import { type Context } from '../../database/index.js'
import { DeletedRecord } from '../../kit/deleted.js'
import { ExampleErrors, MayFail } from '../../kit/documentation.js'
import { PageArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import type { PageOf } from '../../kit/reads/index.js'
import { notFound } from '../../shared/errors.js'
import { type InstagramAgentRow, instagramAgentReads } from './agent.reads.js'
import { createInstagramAgent, deleteInstagramAgent, updateInstagramAgent } from './agent.service.js'
import { InstagramAgent, InstagramProfile } from './instagram.entity.js'
import {
  CreateInstagramAgentInput,
  InstagramAgentFilter,
  InstagramProfileInput,
  UpdateInstagramAgentInput,
} from './instagram.inputs.js'
import { type InstagramProfileRow, listProfiles } from './profile.loaders.js'
import { type AddedProfileRows, addInstagramProfile, removeInstagramProfile } from './profile.service.js'

@ObjectType({ description: 'One page of a list of collection agents.', simpleResolvers: true })
@ReadWith('any')
export class InstagramAgentPage {
  @Field(() => [InstagramAgent], { description: 'The agents of the page.' })
  items!: InstagramAgent[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@ObjectType({ description: 'One page of the profiles of an agent.', simpleResolvers: true })
@ReadWith('any')
export class InstagramProfilePage {
  @Field(() => [InstagramProfile], { description: 'The profiles of the page.' })
  items!: InstagramProfile[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@ObjectType({ description: 'A profile that has just been added to an agent.', simpleResolvers: true })
@ReadWith('any')
export class AddedInstagramProfile {
  @Field(() => InstagramProfile, { description: 'The profile.' })
  profile!: InstagramProfile

  @Field(() => InstagramAgent, { description: 'The agent, which counts it already.' })
  agent!: InstagramAgent
}

@Resolver(() => InstagramAgent)
export class InstagramAgentResolver {
  @Query(() => InstagramAgentPage, { description: "The account's collection agents, newest first." })
  @Requires('instagram_agents:read')
  instagramAgents(
    @Ctx() context: Context,
    @Arg('filter', () => InstagramAgentFilter, { nullable: true, description: 'Which to list; all if left out.' })
    filter: InstagramAgentFilter | null,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<PageOf<InstagramAgentRow>> {
    return instagramAgentReads.list(context, { filter, ...paging })
  }

  @Query(() => InstagramAgent, { nullable: true, description: 'One collection agent; NOT_FOUND where there is none.' })
  @Requires('instagram_agents:read')
  @MayFail('NOT_FOUND')
  async instagramAgent(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the agent.' }) id: string,
  ): Promise<InstagramAgentRow> {
    const agent = await instagramAgentReads.find(db, id)
    if (!agent) throw notFound('Instagram agent')
    return agent
  }

  @Mutation(() => InstagramAgent, { description: 'Creates a collection agent.' })
  @Requires('settings:write')
  createInstagramAgent(
    @Ctx() { db }: Context,
    @Arg('input', () => CreateInstagramAgentInput, { description: 'The new agent.' })
    input: CreateInstagramAgentInput,
  ): Promise<InstagramAgentRow> {
    return createInstagramAgent(db, input)
  }

  @Mutation(() => InstagramAgent, { description: 'Changes the given fields of a collection agent.' })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  updateInstagramAgent(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the agent.' }) id: string,
    @Arg('input', () => UpdateInstagramAgentInput, { description: 'What to change.' })
    input: UpdateInstagramAgentInput,
  ): Promise<InstagramAgentRow> {
    return updateInstagramAgent(db, id, input)
  }

  @Mutation(() => DeletedRecord, { description: 'Deletes a collection agent with all profiles that it holds.' })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  deleteInstagramAgent(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the agent.' }) id: string,
  ): Promise<DeletedRecord> {
    return deleteInstagramAgent(db, id)
  }

  @Mutation(() => AddedInstagramProfile, {
    description:
      'Adds a profile to an agent; LIMIT_REACHED when the agent is full, DUPLICATE_ERROR when it has the profile.',
  })
  @Requires('instagram_agents:write')
  @MayFail('NOT_FOUND', 'DUPLICATE_ERROR', 'LIMIT_REACHED')
  @ExampleErrors({
    NOT_FOUND: { message: 'There is no such Instagram agent.' },
    DUPLICATE_ERROR: {
      message: 'The agent has this profile already.',
      details: [{ field: 'username', message: 'is a profile that the agent has already' }],
    },
    LIMIT_REACHED: { message: 'The agent holds as many profiles as its limit allows.' },
  })
  addInstagramProfile(
    @Ctx() { db }: Context,
    @Arg('agentId', () => ID, { description: 'The id of the agent.' }) agentId: string,
    @Arg('input', () => InstagramProfileInput, { description: 'The profile.' }) input: InstagramProfileInput,
  ): Promise<AddedProfileRows> {
    return addInstagramProfile(db, agentId, input)
  }

  @Mutation(() => DeletedRecord, { description: 'Removes a profile from its agent, which then has room for another.' })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  removeInstagramProfile(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the profile.' }) id: string,
  ): Promise<DeletedRecord> {
    return removeInstagramProfile(db, id)
  }

  @FieldResolver(() => InstagramProfilePage, { description: 'The profiles that the agent holds, the latest first.' })
  profiles(
    @Root() { id }: InstagramAgentRow,
    @Ctx() context: Context,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<PageOf<InstagramProfileRow>> {
    return listProfiles(context, id, paging)
  }
}
