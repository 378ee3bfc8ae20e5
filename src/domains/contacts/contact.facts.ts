import { defineFact } from '../../database/index.js'

/** A contact that is locked is about to be deleted: what tells of the person must go with it. */
export const contactDeleted = defineFact<{ contactId: string }>('contactDeleted', 'contactId')
