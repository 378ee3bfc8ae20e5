export {
  after,
  type Delivery,
  defineFact,
  deliver,
  type Fact,
  type FactHandler,
  type FactIds,
  outside,
  type Pace,
  type Subscriber,
  type Subscription,
  stores,
  takeDeliveries,
  within,
} from './announcements/index.js'
export { columnOf, iso, timestamp } from './columns.js'
export { type Context, perRequest, type RateState } from './context.js'
export { type AsideLimits, BACKGROUND_CONNECTIONS, Database } from './database.js'
export { databaseFailure, failureCode, isReferredTo, outageReason, RunAgain, violates } from './failures.js'
export {
  eraseKeptAnswers,
  type Idempotent,
  type IdempotentCall,
  type KeptAnswer,
  once,
  sweepIdempotencyRecords,
} from './idempotency.js'
export { oneAtATime, type RowLock, rowLock } from './locks.js'
export { migrate, requireMigrated } from './migrate.js'
export { defineNeed, type Need } from './needs.js'
export {
  type CopiedPage,
  copyValues,
  findReadPosition,
  keepingReadPosition,
  keepReadPosition,
  type ReadPosition,
  sweepReadPositions,
} from './read-positions.js'
export { Scope } from './scope.js'
export { SIGNATURE_BYTES } from './secret.js'
export { type RequireStanding, requireStanding } from './standing.js'
export { builder, flushedLater, param, ShapeCache, ShapedStatement, Statement, StatementCache } from './statement.js'
export { unsuitability } from './suitability.js'
export {
  compactAll,
  compactTally,
  createTally,
  type Mismatch,
  type Tally,
  type TallyColumn,
  tableOf,
  verifyTally,
} from './tally/index.js'
export { OWN_TENANT_TABLES, TenantOwned, tenantTables } from './tenant.js'
