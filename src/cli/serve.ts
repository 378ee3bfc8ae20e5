import { setTimeout as delay } from 'node:timers/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { type Config, readConfig } from '../config.js'
import { announce, firstDemoLines, HOW_TO_GET_A_KEY } from './announce.js'
import { withEnvironment } from './environment.js'
import { requireHost } from './host.js'
import { listenForStop } from './stop-signal.js'

// A process manager usually grants ten seconds: this, then the connections and an embedded database are closed.
const STOP_MS = 8500

interface ServeOptions {
  port?: number
  worker: boolean
  migrate: boolean
  withDemo?: boolean
}

export function serveCommand(): Command {
  return new Command('serve')
    .description('Serve the REST and GraphQL APIs until told to stop')
    .option('--port <number>', 'the port to listen on; 0 takes a free one (default: PORT or 4000)', portNumber)
    .option('--no-worker', 'leave background jobs to `fairlead worker`')
    .option('--no-migrate', 'expect the database to be migrated already')
    .addOption(new Option('--with-demo', 'make the demo data if there is no account yet').hideHelp())
    .action(serve)
}

function portNumber(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('It must be a number from 0 to 65535.')
}

async function serve(options: ServeOptions): Promise<void> {
  const signal = listenForStop()
  const settings: Partial<Config> = options.port === undefined ? {} : { port: options.port }
  await requireHost(readConfig().host)
  if (signal.stopping) return
  await withEnvironment({ migrate: options.migrate, settings, signal: signal.aborted }, async (environment) => {
    if (signal.stopping) return
    const keyLines = options.withDemo ? await firstDemoLines(environment) : HOW_TO_GET_A_KEY
    if (signal.stopping) return
    const [{ startApp, startJobs }, { EXTERNAL }, { AGENCY }] = await Promise.all([
      import('../app.js'),
      import('../apis/external.js'),
      import('../apis/agency.js'),
    ])
    const app = await startApp(environment)
    let jobs: { stop(): Promise<void> } | undefined
    try {
      jobs = options.worker ? await startJobs(environment) : undefined
      announce(app.port, { external: EXTERNAL.base, agency: AGENCY.base }, environment.config, keyLines)
      await signal.stopped
      environment.logger.info('stopping')
    } finally {
      // What hangs in the database must not keep the process from ending in the time that it is given.
      await within(STOP_MS, Promise.all([app.stop(), jobs?.stop()]))
    }
  })
}

/** Waits for the work, but not for longer than this. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const settled = new AbortController()
  try {
    await Promise.race([work, delay(ms, undefined, { signal: settled.signal })])
  } finally {
    settled.abort()
  }
}
