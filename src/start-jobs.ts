import { assembly } from './assembly.js'
import type { Config } from './config.js'
import type { Database } from './database/index.js'
import { SeatBilling } from './domains/billing/index.js'
import { startMessageWorker } from './domains/conversations/index.js'
import { startFlowWorker } from './domains/flows/index.js'
import { startInboxWorker } from './domains/inbox/index.js'
import { startJobWorker } from './domains/jobs/index.js'
import { startMailWorker } from './domains/mail/index.js'
import { EVENT_PACE, type Provisioning, startEventWorker } from './domains/sub-accounts/index.js'
import { startAgentWorker } from './domains/workflows/index.js'
import type { Logger } from './http/index.js'
import { startDelivery, startWorker, upkeepJobs } from './jobs/index.js'
import type { Integrations } from './kit/integrations.js'
import { openIntegrations } from './open-integrations.js'

/** With what the events of agencies are carried out. */
export function provisioningOf(
  { logger, database }: { logger: Logger; database: Database },
  { billing }: Integrations,
): Provisioning {
  return {
    database,
    billing: new SeatBilling(database, billing),
    ...EVENT_PACE,
    log: (err, event) => logger.error({ err, event }, 'an event of an agency could not be carried out'),
  }
}

/** Runs the background jobs, and tells the domains what was announced, until stopped. */
export async function startJobs(environment: { config: Config; logger: Logger; database: Database; url: string }) {
  const { config, logger, database, url } = environment
  const log = (err: unknown) => logger.error({ err }, 'background job failed')
  await database.prepare()
  const integrations = openIntegrations(database, config)
  const worker = await startWorker({
    database,
    url,
    integrations,
    jobs: [...upkeepJobs(assembly.tallies, config.idempotencyTtlHours), ...assembly.jobs],
    log,
  })
  const delivery = startDelivery({
    database,
    log: (err, delivery) => logger.error({ err, delivery }, 'a domain could not be told of a fact'),
  })
  const mails = startMailWorker({
    database,
    log: (err, mail) => logger.error({ err, mail }, 'a mail could not be sent'),
  })
  const flows = startFlowWorker({
    database,
    log: (err, enrollment) => logger.error({ err, enrollment }, 'a step of a flow could not be carried out'),
  })
  const oneOff = startJobWorker({
    database,
    jobs: assembly.oneOffJobs,
    log: (err, job) => logger.error({ err, job }, 'a job could not be done'),
  })
  const messages = startMessageWorker({
    database,
    log: (err, message) => logger.error({ err, message }, 'a message could not be sent'),
  })
  const agents = startAgentWorker({
    database,
    log: (err, run) => logger.error({ err, run }, 'an agent could not do its part'),
  })
  const told = startInboxWorker({
    database,
    log: (err, notice) => logger.error({ err, notice }, 'what a channel told could not be recorded'),
  })
  const events = startEventWorker(provisioningOf(environment, integrations))
  return {
    stop: async () =>
      void (await Promise.all(
        [worker, delivery, mails, flows, oneOff, messages, agents, told, events].map((each) => each.stop()),
      )),
  }
}
