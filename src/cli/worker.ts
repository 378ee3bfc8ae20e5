import { Command } from 'commander'
import { withEnvironment } from './environment.js'
import { listenForStop } from './stop-signal.js'

export function workerCommand(): Command {
  return new Command('worker')
    .description('Run background jobs without serving, until told to stop')
    .action(async () => {
      const signal = listenForStop()
      await withEnvironment({ signal: signal.aborted }, async ({ logger }) => {
        if (signal.stopping) return
        // The process must live until the signal, though nothing keeps it busy.
        const alive = setInterval(() => {}, 60_000)
        logger.info('worker is ready')
        await signal.stopped
        clearInterval(alive)
      })
    })
}
