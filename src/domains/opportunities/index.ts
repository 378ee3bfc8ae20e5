export type { OpportunityRow } from './opportunity.columns.js'
export { Opportunity, OpportunitySource } from './opportunity.entity.js'
export { opportunityLoader } from './opportunity.loaders.js'
export { OpportunityResolver } from './opportunity.resolver.js'
export {
  opportunityDayTally,
  opportunityMonthTally,
  opportunityOwnerTally,
  opportunityTally,
} from './opportunity.tally.js'
export { HistoryAction, OpportunityComment, OpportunityHistory, OpportunityProduct } from './parts.entity.js'
export { OpportunityPartsResolver } from './parts.resolver.js'
export { OpportunityRelationsResolver } from './relations.resolver.js'
