import { within } from '../../database/index.js'
import { defineDomain } from '../../kit/domain.js'
import { accounts } from '../accounts/index.js'
import { campaigns } from '../campaigns/index.js'
import { contactDeleted, contacts } from '../contacts/index.js'
import { pipelines } from '../pipelines/index.js'
import { reference } from '../reference/index.js'
import { users } from '../users/index.js'
import { unlinkOpportunities } from './contact-deleted.service.js'
import { Opportunity } from './opportunity.entity.js'
import { OpportunityResolver } from './opportunity.resolver.js'
import {
  opportunityDayTally,
  opportunityMonthTally,
  opportunityOwnerTally,
  opportunityTally,
} from './opportunity.tally.js'
import { OpportunityComment, OpportunityHistory, OpportunityProduct } from './parts.entity.js'
import { OpportunityPartsResolver } from './parts.resolver.js'
import { OpportunityRelationsResolver } from './relations.resolver.js'

export { Opportunity, OpportunitySource } from './opportunity.entity.js'
export { opportunityClosed, opportunityCreated, opportunityDeleted, opportunityMoved } from './opportunity.facts.js'
export { type OpportunityRow, opportunityReads } from './opportunity.reads.js'
export {
  opportunityDayTally,
  opportunityMonthTally,
  opportunityOwnerTally,
  opportunityTally,
} from './opportunity.tally.js'
export { HistoryAction, OpportunityComment, OpportunityHistory, OpportunityProduct } from './parts.entity.js'

/** What the account may sell to whom. */
export const opportunities = defineDomain({
  name: 'opportunities',
  uses: [accounts, reference, users, contacts, pipelines, campaigns],
  entities: [Opportunity, OpportunityProduct, OpportunityComment, OpportunityHistory],
  resolvers: [OpportunityResolver, OpportunityRelationsResolver, OpportunityPartsResolver],
  tallies: [opportunityTally, opportunityOwnerTally, opportunityDayTally, opportunityMonthTally],
  permissions: {
    'opportunities:read': 'list and read opportunities',
    'opportunities:write': 'create and change opportunities',
    'opportunities:delete': 'delete opportunities',
  },
  on: [within(contactDeleted, unlinkOpportunities)],
  demo: () => import('./demo/index.js'),
})
