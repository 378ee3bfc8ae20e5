import { assembly } from './assembly.js'
import type { Config } from './config.js'
import type { Database } from './database/index.js'
import { requestCounter } from './domains/accounts/index.js'
import { type Logger, Metrics, serveMetrics } from './http/index.js'
import { UPKEEP_QUEUES } from './jobs/index.js'

/** What is measured of a process with this database. */
export const measured = (database: Database) =>
  new Metrics({
    database,
    counter: database.needs.get(requestCounter),
    queues: [...assembly.queues, ...UPKEEP_QUEUES],
  })

/** Serves the figures of a process that does nothing but background work, where it has a port for them. */
export async function startFigures(environment: { config: Config; logger: Logger; database: Database }) {
  const { config, logger, database } = environment
  const { workerMetricsPort: port, metricsToken, host } = config
  if (port === undefined) return undefined
  const metrics = measured(database)
  const serving = await serveMetrics(metrics.registry, metricsToken, port, host)
  logger.info(`the figures are at http://${host}:${serving.port}/metrics`)
  return {
    stop: async () => {
      await serving.stop()
      await metrics.stop()
    },
  }
}
