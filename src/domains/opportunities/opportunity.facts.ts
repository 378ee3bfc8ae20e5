import { defineFact } from '../../database/index.js'

/** An opportunity was created. */
export const opportunityCreated = defineFact<{ opportunityId: string }>('opportunityCreated', 'opportunityId')

/** An opportunity has moved from one stage to another, be it of another pipeline. */
export const opportunityMoved = defineFact<{ opportunityId: string; fromStageId: string; toStageId: string }>(
  'opportunityMoved',
  'opportunityId',
)

/** An opportunity was decided: won or lost, as it came into a stage that is so, or discarded where it stands. */
export const opportunityClosed = defineFact<{ opportunityId: string; outcome: 'won' | 'lost' | 'discarded' }>(
  'opportunityClosed',
  'opportunityId',
)

/** The opportunities of a contact that is being erased are locked, and about to lose it. */
export const contactUnlinked = defineFact<{ contactId: string }>('contactUnlinked', 'contactId')

/** An opportunity that is locked is about to be deleted. */
export const opportunityDeleted = defineFact<{ opportunityId: string }>('opportunityDeleted', 'opportunityId')
