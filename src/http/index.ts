export { addressBehind } from './address.js'
export { admitAnyone, admitByCredential, admitByToken } from './admission.js'
export { type ConnectionLimits, connectionLimits } from './connections.js'
export { docsRoutes } from './docs/index.js'
export { documentRoutes } from './documents.js'
export { FailureLog } from './failure-log.js'
export { graphqlRoutes } from './graphql.js'
export { healthRoutes } from './health.js'
export { createLogger, type Logger } from './log.js'
export { mcpRoutes } from './mcp/routes.js'

/** Offers tools over standard input and output; only who does so loads what that takes. */
export const serveTools: typeof import('./mcp/stdio.js').serveTools = async (...given) =>
  (await import('./mcp/stdio.js')).serveTools(...given)
export { Metrics, metricsRoutes, serveMetrics } from './metrics/index.js'
export { requestIdOf } from './request-id.js'
export { type Listening, listen } from './server.js'
export { type Leaving, unsubscribeRoutes } from './unsubscribe.js'
export { createWeb, type Site, type Web } from './web.js'
export { type Webhook, webhookRoutes } from './webhooks.js'
