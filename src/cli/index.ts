import 'reflect-metadata'
import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config.js'
import { SERVICE } from '../shared/service.js'
import { accountCommand } from './account.js'
import { demoCommand } from './demo/command.js'
import { describeFailure } from './failures.js'
import { keyCommand } from './key.js'
import { migrateCommand } from './migrate.js'
import { seedCommand } from './seed.js'
import { serveCommand } from './serve.js'
import { tallyCommand } from './tally.js'
import { workerCommand } from './worker.js'

/** Exit codes: 0 done, 1 failed, 2 called wrongly (arguments or settings). */
const FAILED = 1
const MISUSED = 2

/** Runs a command line; sets the process's exit code. */
export async function runCli(argv: readonly string[]): Promise<void> {
  const program = new Command('fairlead')
    .description('Lead management and sales pipelines over PostgreSQL')
    .version(SERVICE.version)
    .showHelpAfterError('(add --help for the usage)')
  const commands = [
    serveCommand,
    workerCommand,
    migrateCommand,
    demoCommand,
    accountCommand,
    keyCommand,
    tallyCommand,
    seedCommand,
  ]
  for (const make of commands) program.addCommand(make())
  for (const command of [program, ...withSubcommands(program)]) command.exitOverride()
  try {
    await program.parseAsync(argv)
  } catch (error) {
    process.exitCode = await codeOf(error)
  }
}

function withSubcommands(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...withSubcommands(child)])
}

async function codeOf(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED // it has printed its own message
  console.error(`fairlead: ${await describeFailure(error)}`)
  return error instanceof ConfigError ? MISUSED : FAILED
}
