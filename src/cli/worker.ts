import { Command } from 'commander'
import { withEnvironment } from './environment.js'
import { listenForStop } from './stop-signal.js'

export function workerCommand(): Command {
  return new Command('worker')
    .description('Run background jobs without serving, until told to stop')
    .action(async () => {
      const signal = listenForStop()
      await withEnvironment({ signal: signal.aborted, givesWay: true }, async (environment) => {
        if (signal.stopping) return
        const { startFigures, startJobs } = await import('../app.js')
        const figures = await startFigures(environment)
        try {
          const jobs = await startJobs(environment)
          environment.logger.info('worker is ready')
          await signal.stopped
          await jobs.stop()
        } finally {
          await figures?.stop()
        }
      })
    })
}
