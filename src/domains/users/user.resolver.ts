import { Arg, Args, Ctx, Field, FieldResolver, ID, Mutation, ObjectType, Query, Resolver, Root } from 'type-graphql'
import { type Context, perRequest } from '../../database/index.js'
import { DeletedRecord } from '../../kit/deleted.js'
import { MayFail } from '../../kit/documentation.js'
import { ActiveSearchArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import { sectorReads } from '../reference/index.js'
import { Sector } from '../reference/sector.entity.js'
import { User } from './user.entity.js'
import { CreateUserInput, UpdateUserInput } from './user.inputs.js'
import { userReads } from './user.reads.js'
import { createUser, deleteUser, updateUser } from './user.service.js'

@ObjectType({ description: 'One page of a list of users.', simpleResolvers: true })
@ReadWith('any')
export class UserPage {
  @Field(() => [User], { description: 'The users of the page.' })
  items!: User[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@Resolver(() => User)
export class UserResolver {
  @Query(() => UserPage, { description: "The account's users, by name; a search also looks through their emails." })
  @Requires('users:read')
  users(@Ctx() context: Context, @Args(() => ActiveSearchArgs) asked: ActiveSearchArgs): Promise<UserPage> {
    return userReads.list(context, { ...asked, filter: asked })
  }

  @Mutation(() => User, {
    description: 'Creates a user; DUPLICATE_ERROR when another one, of whatever account, has the email.',
  })
  @Requires('users:write')
  @MayFail('DUPLICATE_ERROR')
  createUser(
    @Ctx() { db, viewer }: Context,
    @Arg('input', () => CreateUserInput, { description: 'The new user.' }) input: CreateUserInput,
  ): Promise<User> {
    return createUser(db, viewer, input)
  }

  @Mutation(() => User, {
    description: 'Changes the given fields of a user. The last active admin of the account stays an active admin.',
  })
  @Requires('users:write')
  @MayFail('NOT_FOUND', 'DUPLICATE_ERROR')
  updateUser(
    @Ctx() { db, viewer }: Context,
    @Arg('id', () => ID, { description: 'The id of the user.' }) id: string,
    @Arg('input', () => UpdateUserInput, { description: 'What to change.' }) input: UpdateUserInput,
  ): Promise<User> {
    return updateUser(db, viewer, id, input)
  }

  @Mutation(() => DeletedRecord, {
    description:
      'Deletes a user: it takes no more turns and its email is free again, but what refers to it still names it. ' +
      'RECORD_IN_USE for the last active admin of the account.',
  })
  @Requires('users:write')
  @MayFail('NOT_FOUND', 'RECORD_IN_USE')
  deleteUser(
    @Ctx() { db, viewer }: Context,
    @Arg('id', () => ID, { description: 'The id of the user.' }) id: string,
  ): Promise<DeletedRecord> {
    return deleteUser(db, viewer, id)
  }

  @FieldResolver(() => Sector, { nullable: true, description: 'The sector that the user works in.' })
  sector(@Root() { sectorId }: User, @Ctx() context: Context): Promise<Sector | null> | null {
    return sectorId ? perRequest(context, sectorReads.loader).load(sectorId) : null
  }
}
