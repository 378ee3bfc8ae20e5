import { defineFact } from '../../database/index.js'

/** An opportunity that is locked is about to be deleted. */
export const opportunityDeleted = defineFact<{ opportunityId: string }>('opportunityDeleted', 'opportunityId')
