import type { GraphQLResolveInfo } from 'graphql'
import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql'
import { type Context, perRequest } from '../../database/index.js'
import { ComesAlong } from '../../kit/comes-along.js'
import { DeletedRecord } from '../../kit/deleted.js'
import { ExampleErrors, exampleId, MayFail } from '../../kit/documentation.js'
import { PageArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import type { PageOf } from '../../kit/reads/index.js'
import { below, selectionOf } from '../../kit/selection.js'
import { notFound } from '../../shared/errors.js'
import { Tag } from '../reference/tag.entity.js'
import { Attribution } from './attribution.types.js'
import { Contact, ContactNote } from './contact.entity.js'
import { ContactFilter, ContactSort, CreateContactInput, UpdateContactInput } from './contact.inputs.js'
import { type ContactRow, contactReads } from './contact.reads.js'
import { deleteContact, updateContact } from './contact.service.js'
import { createContact } from './contact-create.service.js'

@ObjectType({ description: 'One page of a list of contacts.', simpleResolvers: true })
@ReadWith('any')
export class ContactPage {
  @Field(() => [Contact], { description: 'The contacts of the page.' })
  items!: Contact[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@Resolver(() => Contact)
export class ContactResolver {
  @Query(() => ContactPage, { description: "The account's contacts, newest first unless sorted otherwise." })
  @Requires('contacts:read')
  contacts(
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('filter', () => ContactFilter, { nullable: true, description: 'Which contacts to list; all if left out.' })
    filter: ContactFilter | null,
    @Arg('sort', () => ContactSort, { nullable: true, description: 'The order of the list.' })
    sort: ContactSort | null,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<PageOf<ContactRow>> {
    return contactReads.list(context, { filter, sort, ...paging }, below(selectionOf(info), 'items'))
  }

  @Query(() => Contact, { nullable: true, description: 'One contact of the account; NOT_FOUND where there is none.' })
  @Requires('contacts:read')
  @MayFail('NOT_FOUND')
  async contact(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the contact.' }) id: string,
  ): Promise<ContactRow> {
    const contact = await contactReads.find(db, id, selectionOf(info))
    if (!contact) throw notFound('contact')
    return contact
  }

  @Mutation(() => Contact, {
    description: 'Creates a contact; DUPLICATE_ERROR when another contact of the account has the same email.',
  })
  @Requires('contacts:write')
  @MayFail('DUPLICATE_ERROR')
  @ExampleErrors({
    DUPLICATE_ERROR: {
      message: 'A contact with this email exists already.',
      details: [{ field: 'email', message: 'another contact has this email', existing_id: exampleId('Contact 2') }],
    },
  })
  createContact(
    @Ctx() { db }: Context,
    @Arg('input', () => CreateContactInput, { description: 'The new contact.' }) input: CreateContactInput,
  ): Promise<ContactRow> {
    return createContact(db, input)
  }

  @Mutation(() => Contact, {
    description: 'Changes the given fields of a contact; the tags, when given, replace all that it has.',
  })
  @Requires('contacts:write')
  @MayFail('NOT_FOUND', 'DUPLICATE_ERROR')
  @ExampleErrors({
    DUPLICATE_ERROR: {
      message: 'A contact with this email exists already.',
      details: [{ field: 'email', message: 'another contact has this email', existing_id: exampleId('Contact 2') }],
    },
  })
  updateContact(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The id of the contact.' }) id: string,
    @Arg('input', () => UpdateContactInput, { description: 'What to change.' }) input: UpdateContactInput,
  ): Promise<ContactRow> {
    return updateContact(db, id, input, selectionOf(info))
  }

  @Mutation(() => DeletedRecord, {
    description: 'Deletes a contact with its notes and visits; its opportunities and conversations stay, unlinked.',
  })
  @Requires('contacts:delete')
  @MayFail('NOT_FOUND')
  deleteContact(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the contact.' }) id: string,
  ): Promise<DeletedRecord> {
    return deleteContact(db, id)
  }

  @FieldResolver(() => [Tag], { description: 'The tags that the contact carries, by name.' })
  @ComesAlong()
  tags(@Root() { id }: ContactRow, @Ctx() context: Context): Promise<Tag[]> {
    return perRequest(context, contactReads.children.tags).load(id)
  }

  @FieldResolver(() => [ContactNote], { description: 'The notes on the contact, oldest first.' })
  @ComesAlong()
  notes(@Root() { id }: ContactRow, @Ctx() context: Context): Promise<ContactNote[]> {
    return perRequest(context, contactReads.children.notes).load(id)
  }

  @FieldResolver(() => Attribution, {
    nullable: true,
    description: 'How the contact found the account; null when no visit was recorded.',
  })
  @ComesAlong()
  attribution(@Root() { id }: ContactRow, @Ctx() context: Context): Promise<Attribution | null> {
    return perRequest(context, contactReads.children.attribution).load(id)
  }
}
