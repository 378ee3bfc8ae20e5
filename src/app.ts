import { fileURLToPath } from 'node:url'
import type { GraphQLSchema } from 'graphql'
import { AGENCY, AGENCY_ACTIONS } from './apis/agency.js'
import { EXTERNAL } from './apis/external.js'
import { offeredTools, ownHosts } from './apis/tools.js'
import { assembly } from './assembly.js'
import type { Config } from './config.js'
import { BACKGROUND_CONNECTIONS, type Database } from './database/index.js'
import {
  Authenticator,
  apiKeyCredentials,
  FailedAuthentications,
  LastUse,
  RateLimit,
  requestCounter,
} from './domains/accounts/index.js'
import { Agencies, AgencyTokens, agenciesMeans } from './domains/agencies/index.js'
import { Inbox } from './domains/inbox/index.js'
import { Unsubscription } from './domains/mail/index.js'
import { EVENT_PACE, EventJournal, provisioningMeans } from './domains/sub-accounts/index.js'
import { createApollo, createSchema } from './graphql/index.js'
import {
  addressBehind,
  admitAnyone,
  admitByCredential,
  admitByToken,
  type ConnectionLimits,
  connectionLimits,
  createWeb,
  docsRoutes,
  documentRoutes,
  FailureLog,
  graphqlRoutes,
  healthRoutes,
  type Listening,
  type Logger,
  listen,
  mcpRoutes,
  metricsRoutes,
  requestIdOf,
  type Site,
  serveMetrics,
  serveTools,
  unsubscribeRoutes,
  webhookRoutes,
} from './http/index.js'
import { WORKER_CONNECTIONS } from './jobs/index.js'
import { traces } from './kit/traced.js'
import { credentialKinds } from './open-database.js'
import { openIntegrations } from './open-integrations.js'
import {
  type Admit,
  type Api,
  createRest,
  type Endpoint,
  Idempotency,
  loadEndpoints,
  openApiDocument,
  type Tool,
} from './rest/index.js'
import { measured } from './start-figures.js'
import { provisioningOf } from './start-jobs.js'
import { stripeWebhook } from './stripe-webhook.js'
import { whatsappWebhook } from './whatsapp-webhook.js'

// Below the ten seconds that a process manager usually grants.
const DRAIN_MS = 8000

const FRAGMENTS = fileURLToPath(new URL('../schema/operations/fragments', import.meta.url))

export { startFigures } from './start-figures.js'
export { startJobs } from './start-jobs.js'

/** The APIs, in the order in which a request's address is compared with theirs; the first takes nearly all requests. */
export const APIS: readonly Api[] = [EXTERNAL, AGENCY]

/** The endpoints of an API, checked and compiled. */
export function endpointsOf(api: Api, schema: GraphQLSchema): Endpoint[] {
  return loadEndpoints(schema, api, FRAGMENTS)
}

/** The tools that AI assistants are offered, out of the endpoints of the external API and operations of their own. */
export function toolsFor(schema: GraphQLSchema, external: readonly Endpoint[]): Tool[] {
  return offeredTools(schema, external, FRAGMENTS)
}

/** Offers the tools to whoever has started this process, until they leave or it is stopped. */
export async function offerTools({ config, logger, database }: AppOptions, key: string, stopped: Promise<unknown>) {
  const log = (err: unknown, requestId?: string) => logger.error({ err, requestId }, 'unexpected error')
  await database.prepare()
  const schema = createSchema(assembly)
  const kinds = [apiKeyCredentials(assembly.permissions)]
  const lastUse = new LastUse(database, kinds, log)
  const authenticator = new Authenticator(database, kinds)
  const tools = toolsFor(schema, endpointsOf(EXTERNAL, schema))
  const rateLimit = new RateLimit(database.needs.get(requestCounter))
  const means = { idempotency: new Idempotency(config.idempotencyTtlHours), log }
  await serveTools({ tools, key, database, authenticator, rateLimit, lastUse, means }, stopped)
  await lastUse.stop()
}

/** A running service. */
export interface App {
  port: number
  /** The port of the figures, where they have one of their own. */
  metricsPort?: number
  database: Database
  authenticator: Authenticator
  lastUse: LastUse
  stop(): Promise<void>
}

export interface AppOptions {
  config: Config
  logger: Logger
  database: Database
  /** How long a repeat of a call with an Idempotency-Key waits for the first, if not the usual time. */
  idempotencyWaitMs?: number
  /** The pace of agencies' events, if not the usual one. */
  events?: Partial<typeof EVENT_PACE>
  /** What callers' connections may take, if not the usual. */
  limits?: Partial<ConnectionLimits>
}

/** Composes the service in the order in which a request goes through it, and listens. */
export async function startApp({
  config,
  logger,
  database,
  idempotencyWaitMs,
  events,
  limits,
}: AppOptions): Promise<App> {
  const failures = new FailureLog(logger)
  await database.prepare()
  const schema = createSchema(assembly)

  const kinds = credentialKinds(config)
  const authenticator = new Authenticator(database, kinds)
  const lastUse = new LastUse(database, kinds, failures.tell)
  const addressOf = addressBehind(config.trustProxy)
  const counter = database.needs.get(requestCounter)
  const metrics = measured(database)
  const rateLimit = new RateLimit(counter, (outcome) => metrics.limited(outcome))
  await rateLimit.open()
  const wrongCredentials = new FailedAuthentications(counter, config.authFailureLimit)
  const callers = { database, authenticator, rateLimit, failures: wrongCredentials, lastUse, addressOf }

  const programs = admitByCredential({ ...callers, admitted: ['api_key'], stored: true })
  const admission = new Map<Api, Admit>([
    [EXTERNAL, programs],
    [AGENCY, admitByToken(callers, AGENCY.owner!.name)],
  ])
  const { idempotencyTtlHours } = config
  const integrations = openIntegrations(database, config)
  const provisioning = { ...provisioningOf({ logger, database }, integrations), ...events }
  database.needs.provide(provisioningMeans, provisioning)
  const agencies = new Agencies(database, integrations.billing)
  database.needs.provide(agenciesMeans, { agencies, tokens: new AgencyTokens(database) })
  const journal = new EventJournal(provisioning, {
    actions: AGENCY_ACTIONS,
    idempotencyTtlHours,
    waitMs: idempotencyWaitMs,
  })
  const served = APIS.map((api) => {
    const endpoints = endpointsOf(api, schema)
    const admit = admission.get(api)!
    const mounted = createRest({
      api,
      endpoints,
      admit,
      journal: api.booked && journal,
      idempotencyTtlHours,
      idempotencyWaitMs,
      onIdempotent: (outcome) => metrics.repeated(outcome),
      requestId: requestIdOf,
      log: failures.tell,
    })
    return { api, endpoints, mounted, document: openApiDocument(api, endpoints) }
  })
  const tools = toolsFor(schema, served.find(({ api }) => api === EXTERNAL)!.endpoints)
  const told = (outcome: string) => metrics.repeated(outcome)
  const means = { idempotency: new Idempotency(idempotencyTtlHours, idempotencyWaitMs, told), log: failures.tell }
  const apollo = createApollo({ schema, production: config.production, log: failures.tell })
  await apollo.start()

  let stopping = false
  const health = healthRoutes(database, () => stopping)
  const siteOf = (apis: typeof served, more: Site['mount'] = () => {}): Site => ({
    apis: apis.map(({ mounted }) => mounted),
    mount: (app) => {
      more(app)
      const documents = Object.fromEntries(apis.map(({ api, document }) => [api.document.path, document]))
      app.use(documentRoutes(documents))
      app.use(docsRoutes(documents))
      app.use(health)
    },
  })
  const apart = (api: Api) => config.agencyHost !== undefined && api === AGENCY
  const web = createWeb({
    logger,
    failures,
    answered: (operation, status, seconds) => metrics.answered(operation, status, seconds),
    traces: database.needs.find(traces),
    trustProxy: config.trustProxy,
    ...siteOf(
      served.filter(({ api }) => !apart(api)),
      (app) => {
        const anybody = admitByCredential({
          ...callers,
          admitted: ['api_key', 'session', 'agency_token'],
          stored: false,
        })
        const admit = admitAnyone(anybody, callers)
        if (config.metricsPort === undefined) app.use(metricsRoutes(metrics.registry, config.metricsToken))
        app.use(unsubscribeRoutes(new Unsubscription(database)))
        const { production } = config
        app.use(
          '/graphql',
          graphqlRoutes({ apollo, schema, production, challenge: EXTERNAL.challenge, admit, log: failures.tell }),
        )
        app.use('/mcp', mcpRoutes({ tools, means, admit: programs, hosts: ownHosts(config.publicUrl) }))
        const { stripe, whatsapp } = config
        if (stripe) app.use(webhookRoutes(stripeWebhook(database, integrations.billing, stripe.webhookSecrets)))
        if (whatsapp) app.use(webhookRoutes(whatsappWebhook(new Inbox(database), whatsapp)))
      },
    ),
    hosts: new Map(config.agencyHost ? [[config.agencyHost, siteOf(served.filter(({ api }) => apart(api)))]] : []),
  })
  const unlisten = await database.hearOthers()
  const { metricsPort, metricsToken } = config
  const apartMetrics =
    metricsPort === undefined ? undefined : await serveMetrics(metrics.registry, metricsToken, metricsPort, config.host)
  const listening: Listening = await listen(web, config.port, config.host, {
    ...connectionLimits(config.poolSize + BACKGROUND_CONNECTIONS + WORKER_CONNECTIONS),
    ...limits,
  })

  return {
    port: listening.port,
    metricsPort: apartMetrics?.port,
    database,
    authenticator,
    lastUse,
    stop: async () => {
      stopping = true
      await listening.drain(DRAIN_MS)
      await apollo.stop()
      await unlisten()
      await apartMetrics?.stop()
      await metrics.stop()
      await lastUse.stop()
    },
  }
}
