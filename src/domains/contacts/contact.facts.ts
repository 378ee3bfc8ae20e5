import { defineFact } from '../../database/index.js'

/** A contact was created. */
export const contactCreated = defineFact<{ contactId: string }>('contactCreated', 'contactId')

/**
 * Something that a contact shows of itself has changed: a field, its tags, notes or visits. That a deleted tag was taken
 * off it is told by the tag's deletion.
 */
export const contactChanged = defineFact<{ contactId: string }>('contactChanged', 'contactId')

/** A contact that is locked is about to be deleted: what tells of the person must go with it. */
export const contactDeleted = defineFact<{ contactId: string }>('contactDeleted', 'contactId')
