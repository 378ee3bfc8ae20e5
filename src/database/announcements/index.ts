export { defineFact, type Fact, type FactIds } from './fact.js'
export { type FactHandler, Subscribers, type Subscription, within } from './subscription.js'
