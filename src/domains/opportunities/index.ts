export { Opportunity, OpportunitySource } from './opportunity.entity.js'
export { opportunityTally } from './opportunity.tally.js'
export { HistoryAction, OpportunityComment, OpportunityHistory, OpportunityProduct } from './parts.entity.js'
