import { Command } from 'commander'
import { ConfigError } from '../config.js'
import { withEnvironment } from './environment.js'
import { listenForStop } from './stop-signal.js'

// What still hangs once the assistant is served, such as a model that says nothing, does not keep the process alive.
const LAST_MS = 1500

export function mcpCommand(): Command {
  return new Command('mcp')
    .description('Offer the tools to an AI assistant on this machine, with the key in FAIRLEAD_API_KEY')
    .requiredOption('--stdio', 'over standard input and output, as assistants start it')
    .action(async () => {
      const signal = listenForStop()
      await withEnvironment({ signal: signal.aborted }, async (environment) => {
        const { apiKey } = environment.config
        if (!apiKey) throw new ConfigError('FAIRLEAD_API_KEY must be the API key that the assistant works with')
        const { offerTools } = await import('../app.js')
        await offerTools(environment, apiKey, signal.stopped)
        setTimeout(() => process.exit(), LAST_MS).unref()
      })
    })
}
