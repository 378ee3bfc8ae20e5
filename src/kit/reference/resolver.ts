import { Arg, Args, type ClassType, Ctx, Field, ID, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import type { Context, Scope } from '../../database/index.js'
import { type ErrorCode, notFound } from '../../shared/errors.js'
import { DeletedRecord } from '../deleted.js'
import { MayFail } from '../documentation.js'
import { ActiveSearchArgs, SearchArgs } from '../list-args.js'
import { Pagination } from '../pagination.js'
import { type Permission, ReadWith, Requires } from '../permissions.js'
import { fieldsOf, type Reads } from '../reads/index.js'
import type { ReferenceFilter } from './reads.js'

interface Writes<Row, Create, Update> {
  create(db: Scope, input: Create): Promise<Row>
  update(db: Scope, id: string, input: Update): Promise<Row>
  delete(db: Scope, id: string): Promise<DeletedRecord>
}

/** What is to be known of a kind of reference records to list, read and manage it through GraphQL. */
interface ReferenceOptions<Row, Create, Update> {
  entity: ClassType<object>
  inputs: { create: ClassType<Create & object>; update: ClassType<Update & object> }
  reads: Reads<Row & { id: string }, ReferenceFilter>
  writes: Writes<Row, Create, Update>
  /** The root fields of one and of many, such as `sector` and `sectors`. */
  fields: { one: string; many: string }
  /** What a record is called in texts, and what many are. */
  words: { one: string; many: string }
  permissions: { read: Permission; create?: Permission; manage?: Permission }
  /** Whether no two records of an account may have one name. */
  uniqueName: boolean
  /** Ends of sentences where a kind differs from others. */
  says?: { order?: string; update?: string; delete?: string }
}

const MANAGE: Permission = 'settings:write'

/** Makes the resolver of a kind of reference records: a page of them, one, and the mutations that manage them. */
export function referenceResolver<Row, Create, Update>(options: ReferenceOptions<Row, Create, Update>) {
  const { entity, inputs, reads, writes, fields, words, permissions, uniqueName, says = {} } = options
  const { create = MANAGE, manage = MANAGE, read } = permissions
  const type = entity.name
  const [twin, unique]: [string, ErrorCode[]] = uniqueName
    ? ['; DUPLICATE_ERROR when another one of the account has its name', ['DUPLICATE_ERROR']]
    : ['', []]
  const kept = ': it can be used no longer, but what refers to it still names it.'
  const ListArgs = fieldsOf(entity as never).some(({ name }) => name === 'isActive') ? ActiveSearchArgs : SearchArgs

  @ObjectType(`${type}Page`, { description: `One page of a list of ${words.many}.`, simpleResolvers: true })
  @ReadWith('any')
  class Page {
    @Field(() => [entity], { description: `The ${words.many} of the page.` })
    items!: Row[]

    @Field(() => Pagination, { description: 'Where the page stands in the list.' })
    pagination!: Pagination
  }

  @Resolver()
  class ReferenceResolver {
    @Query(() => Page, {
      name: fields.many,
      description: `The account's ${words.many}, ${says.order ?? 'by name'}.`,
    })
    @Requires(read)
    list(@Ctx() context: Context, @Args(() => ListArgs) asked: ActiveSearchArgs): Promise<Page> {
      return reads.list(context, { ...asked, filter: asked })
    }

    @Query(() => entity, {
      name: fields.one,
      nullable: true,
      description: `One ${words.one} of the account; NOT_FOUND where there is none.`,
    })
    @Requires(read)
    @MayFail('NOT_FOUND')
    one(
      @Ctx() { db }: Context,
      @Arg('id', () => ID, { description: `The id of the ${words.one}.` }) id: string,
    ): Promise<Row> {
      return found(reads.find(db, id), words.one)
    }

    @Mutation(() => entity, { name: `create${type}`, description: `Creates a ${words.one}${twin}.` })
    @Requires(create)
    @MayFail(...unique)
    create(
      @Ctx() { db }: Context,
      @Arg('input', () => inputs.create, { description: `The new ${words.one}.` }) input: Create,
    ): Promise<Row> {
      return writes.create(db, input)
    }

    @Mutation(() => entity, {
      name: `update${type}`,
      description: `Changes the given fields of a ${words.one}${says.update ?? '.'}`,
    })
    @Requires(manage)
    @MayFail('NOT_FOUND', ...unique)
    update(
      @Ctx() { db }: Context,
      @Arg('id', () => ID, { description: `The id of the ${words.one}.` }) id: string,
      @Arg('input', () => inputs.update, { description: 'What to change.' }) input: Update,
    ): Promise<Row> {
      return writes.update(db, id, input)
    }

    @Mutation(() => DeletedRecord, {
      name: `delete${type}`,
      description: `Deletes a ${words.one}${says.delete ?? kept}`,
    })
    @Requires(manage)
    @MayFail('NOT_FOUND')
    delete(
      @Ctx() { db }: Context,
      @Arg('id', () => ID, { description: `The id of the ${words.one}.` }) id: string,
    ): Promise<DeletedRecord> {
      return writes.delete(db, id)
    }
  }
  return ReferenceResolver
}

async function found<Row>(reading: Promise<Row | undefined>, what: string): Promise<Row> {
  const row = await reading
  if (!row) throw notFound(what)
  return row
}
