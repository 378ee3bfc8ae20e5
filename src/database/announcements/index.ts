export { defineFact, type Fact, type FactIds } from './fact.js'
export { type Delivery, deliver, type Pace, takeDeliveries } from './outbox.js'
export { stores } from './store.js'
export {
  after,
  type FactHandler,
  outside,
  type Subscriber,
  Subscribers,
  type Subscription,
  within,
} from './subscription.js'
