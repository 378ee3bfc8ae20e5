import { defineFact } from '../../database/index.js'

/** A tag that is locked is about to be deleted. */
export const tagDeleted = defineFact<{ tagId: string }>('tagDeleted', 'tagId')
