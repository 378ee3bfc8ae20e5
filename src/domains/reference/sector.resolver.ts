import { Arg, Args, Ctx, Field, ID, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { DeletedRecord } from '../../kit/deleted.js'
import { MayFail } from '../../kit/documentation.js'
import { ActiveSearchArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import { sectorReads } from './records.reads.js'
import { sectorWrites } from './records.service.js'
import { Sector } from './sector.entity.js'
import { CreateSectorInput, UpdateSectorInput } from './sector.inputs.js'

@ObjectType({ description: 'One page of a list of sectors.', simpleResolvers: true })
@ReadWith('any')
export class SectorPage {
  @Field(() => [Sector], { description: 'The sectors of the page.' })
  items!: Sector[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@Resolver()
export class SectorResolver {
  @Query(() => SectorPage, { description: "The account's sectors, by name." })
  @Requires('sectors:read')
  sectors(@Ctx() context: Context, @Args(() => ActiveSearchArgs) asked: ActiveSearchArgs): Promise<SectorPage> {
    return sectorReads.list(context, { ...asked, filter: asked })
  }

  @Mutation(() => Sector, {
    description: 'Creates a sector; DUPLICATE_ERROR when another one of the account has its name.',
  })
  @Requires('settings:write')
  @MayFail('DUPLICATE_ERROR')
  createSector(
    @Ctx() { db }: Context,
    @Arg('input', () => CreateSectorInput, { description: 'The new sector.' }) input: CreateSectorInput,
  ): Promise<Sector> {
    return sectorWrites.create(db, input)
  }

  @Mutation(() => Sector, { description: 'Changes the given fields of a sector.' })
  @Requires('settings:write')
  @MayFail('NOT_FOUND', 'DUPLICATE_ERROR')
  updateSector(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the sector.' }) id: string,
    @Arg('input', () => UpdateSectorInput, { description: 'What to change.' }) input: UpdateSectorInput,
  ): Promise<Sector> {
    return sectorWrites.update(db, id, input)
  }

  @Mutation(() => DeletedRecord, {
    description: 'Deletes a sector: it can be used no longer, but what refers to it still names it.',
  })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  deleteSector(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the sector.' }) id: string,
  ): Promise<DeletedRecord> {
    return sectorWrites.delete(db, id)
  }
}
