import { fileURLToPath } from 'node:url'
import type { GraphQLSchema } from 'graphql'
import type { Config } from './config.js'
import type { Database } from './database/index.js'
import { Authenticator, LastUse, RateLimit } from './domains/accounts/index.js'
import { tallies } from './domains/index.js'
import { createApollo, createSchema } from './graphql/index.js'
import {
  admitAnyone,
  admitByKey,
  createWeb,
  documentRoutes,
  graphqlRoutes,
  healthRoutes,
  type Listening,
  type Logger,
  listen,
  requestIdOf,
} from './http/index.js'
import { startWorker, upkeepJobs } from './jobs/index.js'
import { createRest, type Endpoint, EXTERNAL_STYLE, loadEndpoints, openApiDocument } from './rest/index.js'
import { SERVICE } from './shared/service.js'

/** Where the external API is mounted. */
export const EXTERNAL_BASE = '/external/v1'

// Below the ten seconds that a process manager usually grants.
const DRAIN_MS = 8000

const schemaFolder = (name: string) => fileURLToPath(new URL(`../schema/operations/${name}`, import.meta.url))

/** The endpoints of the external API, checked and compiled. */
export function externalEndpoints(schema: GraphQLSchema): Endpoint[] {
  return loadEndpoints(schema, schemaFolder('external'), schemaFolder('fragments'))
}

/** The OpenAPI document of the external API. */
export function externalDocument(schema: GraphQLSchema, endpoints = externalEndpoints(schema)) {
  return openApiDocument(endpoints, {
    title: 'Fairlead external API',
    version: SERVICE.version,
    description:
      'Reads and writes the contacts and the sales record of an account. Every call carries an API key of the account.',
    server: EXTERNAL_BASE,
    more: { license: { name: 'MIT', identifier: 'MIT' }, contact: { name: 'Fairlead' } },
  })
}

/** Runs the background jobs until stopped. */
export function startJobs(environment: { config: Config; logger: Logger; database: Database; url: string }) {
  const { config, logger, database, url } = environment
  const log = (err: unknown) => logger.error({ err }, 'background job failed')
  return startWorker({ database, url, jobs: upkeepJobs(tallies, config.idempotencyTtlHours), log })
}

/** A running service. */
export interface App {
  port: number
  database: Database
  authenticator: Authenticator
  stop(): Promise<void>
}

export interface AppOptions {
  config: Config
  logger: Logger
  database: Database
  /** How long a repeat of a call with an Idempotency-Key waits for the first, if not the usual time. */
  idempotencyWaitMs?: number
}

/** Composes the service in the order in which a request goes through it, and listens. */
export async function startApp({ config, logger, database, idempotencyWaitMs }: AppOptions): Promise<App> {
  const logError = (err: unknown, requestId?: string) => logger.error({ err, requestId }, 'unexpected error')
  await database.prepare()
  const schema = createSchema()
  const endpoints = externalEndpoints(schema)

  const authenticator = new Authenticator(database)
  const lastUse = new LastUse(database, logError)
  const admit = admitByKey({ database, authenticator, rateLimit: new RateLimit(), lastUse })

  const external = createRest({
    endpoints,
    style: EXTERNAL_STYLE,
    admit,
    idempotencyTtlHours: config.idempotencyTtlHours,
    idempotencyWaitMs,
    requestId: requestIdOf,
    log: logError,
  })
  const apollo = createApollo({ schema, production: config.production, log: logError })
  await apollo.start()

  let stopping = false
  const web = createWeb({
    logger,
    trustProxy: config.trustProxy,
    api: { base: EXTERNAL_BASE, handler: external },
    mount: (app) => {
      app.use('/graphql', graphqlRoutes({ apollo, admit: admitAnyone(admit, database), log: logError }))
      app.use(documentRoutes({ '/openapi.json': externalDocument(schema, endpoints) }))
      app.use(healthRoutes(database, () => stopping))
    },
  })
  const listening: Listening = await listen(web, config.port, config.host)

  return {
    port: listening.port,
    database,
    authenticator,
    stop: async () => {
      stopping = true
      await listening.drain(DRAIN_MS)
      await apollo.stop()
      await lastUse.stop()
    },
  }
}
