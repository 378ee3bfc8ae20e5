import { within } from '../../database/index.js'
import { defineDomain } from '../../kit/domain.js'
import { accounts } from '../accounts/index.js'
import { campaigns } from '../campaigns/index.js'
import { contactDeleted, contacts } from '../contacts/index.js'
import { jobs } from '../jobs/index.js'
import { pipelines } from '../pipelines/index.js'
import { reference } from '../reference/index.js'
import { users } from '../users/index.js'
import { OpportunityAction } from './action.entity.js'
import { settleAction, settleLeftJob } from './action.job.js'
import { OpportunityComment } from './comment.entity.js'
import { CommentResolver } from './comment.resolver.js'
import { unlinkOpportunities } from './contact-deleted.service.js'
import { OpportunityHistory } from './history.entity.js'
import { Opportunity } from './opportunity.entity.js'
import { OpportunityResolver } from './opportunity.resolver.js'
import {
  opportunityDayTally,
  opportunityMonthTally,
  opportunityOwnerTally,
  opportunityTally,
} from './opportunity.tally.js'
import { OpportunityActionsResolver } from './opportunity-actions.resolver.js'
import { OpportunityRelationsResolver } from './opportunity-relations.resolver.js'
import { OpportunityProduct } from './product-line.entity.js'
import { ProductLineResolver } from './product-line.resolver.js'

export { ACTION_MS, settleActions } from './action.service.js'
export { contactOf, defineAction, holdUndecided, opportunityGone } from './action.types.js'
export { OpportunityComment } from './comment.entity.js'
export { HistoryAction, OpportunityHistory } from './history.entity.js'
export { Opportunity, OpportunitySource } from './opportunity.entity.js'
export {
  contactUnlinked,
  opportunityClosed,
  opportunityCreated,
  opportunityDeleted,
  opportunityMoved,
} from './opportunity.facts.js'
export { type OpportunityRow, opportunityReads } from './opportunity.reads.js'
export {
  opportunityDayTally,
  opportunityMonthTally,
  opportunityOwnerTally,
  opportunityTally,
} from './opportunity.tally.js'
export { holdOfContact, moveHeld } from './opportunity-of-contact.service.js'
export { OpportunityProduct } from './product-line.entity.js'

/** What the account may sell to whom. */
export const opportunities = defineDomain({
  name: 'opportunities',
  uses: [accounts, jobs, reference, users, contacts, pipelines, campaigns],
  entities: [Opportunity, OpportunityProduct, OpportunityComment, OpportunityHistory, OpportunityAction],
  resolvers: [
    OpportunityResolver,
    OpportunityActionsResolver,
    OpportunityRelationsResolver,
    ProductLineResolver,
    CommentResolver,
  ],
  jobs: [settleLeftJob],
  oneOffJobs: [settleAction],
  tallies: [opportunityTally, opportunityOwnerTally, opportunityDayTally, opportunityMonthTally],
  permissions: {
    'opportunities:read': 'list and read opportunities',
    'opportunities:write': 'create and change opportunities',
    'opportunities:delete': 'delete opportunities',
  },
  notPersonal: {
    opportunity_action: {
      name: "the product's own word",
      input: 'ids of records',
      result: 'ids of records and sentences of our own',
    },
    opportunity: { currency: 'a code', source: 'a kind of origin, one of five' },
    opportunity_history: {
      from_stage_name: "the account's word for a stage",
      to_stage_name: "the account's word for a stage",
      user_name: 'names the user who did it',
    },
    opportunity_product: { name: 'what was offered, as the account calls it' },
  },
  on: [within(contactDeleted, unlinkOpportunities)],
  demo: () => import('./demo/index.js'),
})
