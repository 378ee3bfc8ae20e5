export type { Admit, Admitted, Call, Hook, Outcome } from './admission.js'
export { type Api, type ApiDocument, kindIn, type Members } from './api.js'
export { hasBody, MAX_BODY_BYTES, readBytes, readerOf, readJsonObject } from './body.js'
export { createRest, type Mounted } from './handler.js'
export { Idempotency } from './idempotency.js'
export { type BookedCall, type BookedOutcome, type Done, type Journal, PENDING } from './journal.js'
export { loadEndpoints, loadOperations, OperationError } from './load.js'
export { errorKindsOf, openApiDocument } from './openapi/index.js'
export type { Endpoint, Operation, Parameter } from './operation.js'
export { parseQuery, type QueryParameters } from './query-string.js'
export { send } from './respond.js'
export {
  callTool,
  inWords,
  mayUse,
  type Shortened,
  type Tool,
  type ToolMeans,
  type ToolOutcome,
  toolsOf,
} from './tools/index.js'
