import type { GraphQLResolveInfo } from 'graphql'
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { DeletedRecord } from '../../kit/deleted.js'
import { MayFail } from '../../kit/documentation.js'
import { Requires } from '../../kit/permissions.js'
import { selectionOf } from '../../kit/selection.js'
import { ContactNoteInput, RecordTouchInput } from './activity.inputs.js'
import { addNote, deleteNote, recordTouch, updateNote } from './activity.service.js'
import { Contact, ContactNote } from './contact.entity.js'
import type { ContactRow } from './contact.reads.js'
import { AddContactTagsInput } from './tagging.inputs.js'
import { addTags } from './tagging.service.js'
import { AddedTags } from './tagging.types.js'

/** What happens around a contact: notes, tags and visits. */
@Resolver()
export class ContactActivityResolver {
  @Mutation(() => ContactNote, { description: 'Adds a note to a contact.' })
  @Requires('contacts:write')
  addContactNote(
    @Ctx() { db }: Context,
    @Arg('contactId', () => ID, { description: 'The id of the contact.' }) contactId: string,
    @Arg('input', () => ContactNoteInput, { description: 'The note.' }) input: ContactNoteInput,
  ): Promise<ContactNote> {
    return addNote(db, contactId, input)
  }

  @Mutation(() => ContactNote, { description: 'Changes the text of a note.' })
  @Requires('contacts:write')
  updateContactNote(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the note.' }) id: string,
    @Arg('input', () => ContactNoteInput, { description: 'The new text.' }) input: ContactNoteInput,
  ): Promise<ContactNote> {
    return updateNote(db, id, input)
  }

  @Mutation(() => DeletedRecord, { description: 'Deletes a note.' })
  @Requires('contacts:write')
  deleteContactNote(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the note.' }) id: string,
  ): Promise<DeletedRecord> {
    return deleteNote(db, id)
  }

  @Mutation(() => AddedTags, {
    description:
      'Gives a contact tags by their names; those that the account does not have are created. What it has already stays.',
  })
  @Requires('tags:write')
  @MayFail('NOT_FOUND')
  addContactTags(
    @Ctx() { db }: Context,
    @Arg('contactId', () => ID, { description: 'The id of the contact.' }) contactId: string,
    @Arg('input', () => AddContactTagsInput, { description: 'The tags.' }) input: AddContactTagsInput,
  ): Promise<AddedTags> {
    return addTags(db, contactId, input)
  }

  @Mutation(() => Contact, { description: 'Records a visit of a contact, from which its attribution is computed.' })
  @Requires('contacts:write')
  recordContactTouch(
    @Ctx() { db }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('contactId', () => ID, { description: 'The id of the contact.' }) contactId: string,
    @Arg('input', () => RecordTouchInput, { description: 'The visit.' }) input: RecordTouchInput,
  ): Promise<ContactRow> {
    return recordTouch(db, contactId, input, selectionOf(info))
  }
}
