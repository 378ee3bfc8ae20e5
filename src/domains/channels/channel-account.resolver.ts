import { Arg, Args, Ctx, Field, ID, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { MayFail } from '../../kit/documentation.js'
import { SearchArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import type { PageOf } from '../../kit/reads/index.js'
import { notFound } from '../../shared/errors.js'
import { ChannelAccount } from './channel-account.entity.js'
import { ConnectChannelInput, UpdateChannelAccountInput } from './channel-account.inputs.js'
import { channelAccountReads } from './channel-account.reads.js'
import { CHANNEL_ERRORS, connectChannel, disconnectChannel, updateChannelAccount } from './channel-account.service.js'

@ObjectType({ description: 'One page of a list of channel accounts.', simpleResolvers: true })
@ReadWith('any')
export class ChannelAccountPage {
  @Field(() => [ChannelAccount], { description: 'The channel accounts of the page.' })
  items!: ChannelAccount[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

const { CHANNEL_LIMIT, CHANNEL_REFUSED, CHANNEL_UNREACHABLE } = CHANNEL_ERRORS

@Resolver()
export class ChannelAccountResolver {
  @Query(() => ChannelAccountPage, { description: "The account's numbers and profiles, by name." })
  @Requires('channels:read')
  channelAccounts(@Ctx() context: Context, @Args(() => SearchArgs) asked: SearchArgs): Promise<PageOf<ChannelAccount>> {
    return channelAccountReads.list(context, { ...asked, filter: asked })
  }

  @Query(() => ChannelAccount, {
    nullable: true,
    description: 'One channel account of the account; NOT_FOUND where there is none.',
  })
  @Requires('channels:read')
  @MayFail('NOT_FOUND')
  async channelAccount(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the channel account.' }) id: string,
  ): Promise<ChannelAccount> {
    const account = await channelAccountReads.find(db, id)
    if (!account) throw notFound('channel account')
    return account
  }

  @Mutation(() => ChannelAccount, {
    description:
      'Connects a number or profile, or gives one that is connected another token; the provider is asked first.',
  })
  @Requires('settings:write')
  @MayFail('DUPLICATE_ERROR', CHANNEL_LIMIT, CHANNEL_REFUSED, CHANNEL_UNREACHABLE)
  connectChannel(
    @Ctx() { db }: Context,
    @Arg('input', () => ConnectChannelInput, { description: 'What to connect.' }) input: ConnectChannelInput,
  ): Promise<ChannelAccount> {
    return connectChannel(db, input)
  }

  @Mutation(() => ChannelAccount, { description: 'Changes the given fields of a channel account.' })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  updateChannelAccount(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the channel account.' }) id: string,
    @Arg('input', () => UpdateChannelAccountInput, { description: 'What to change.' }) input: UpdateChannelAccountInput,
  ): Promise<ChannelAccount> {
    return updateChannelAccount(db, id, input)
  }

  @Mutation(() => ChannelAccount, {
    description:
      'Disconnects a channel account: its token is forgotten, its seat is free, and nothing is sent through it.',
  })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  disconnectChannel(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the channel account.' }) id: string,
  ): Promise<ChannelAccount> {
    return disconnectChannel(db, id)
  }
}
