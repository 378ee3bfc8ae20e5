export { type Columns, columnOf } from './columns.js'
export { type Context, perRequest, type RateState } from './context.js'
export { Database } from './database.js'
export { databaseFailure, failureCode, violates } from './failures.js'
export {
  eraseKeptAnswers,
  type Idempotent,
  type IdempotentCall,
  type KeptAnswer,
  once,
  sweepIdempotencyRecords,
} from './idempotency.js'
export { migrate, requireMigrated } from './migrate.js'
export { RunAgain, Scope } from './scope.js'
export { builder, param, Statement, StatementCache } from './statement.js'
