import 'reflect-metadata'
import { Command, CommanderError } from 'commander'
import { SERVICE } from '../shared/service.js'
import { accountCommand } from './account.js'
import { agencyCommand } from './agency.js'
import { billingCommand } from './billing.js'
import { demoCommand } from './demo/command.js'
import { failureOf } from './failures.js'
import { keyCommand } from './key.js'
import { mcpCommand } from './mcp.js'
import { migrateCommand } from './migrate.js'
import { printFailure } from './output.js'
import { seedCommand } from './seed.js'
import { serveCommand } from './serve.js'
import { tallyCommand } from './tally.js'
import { tokenCommand } from './token.js'
import { operatorCommand, userCommand } from './user.js'
import { workerCommand } from './worker.js'

// Whatever still hangs after a failure, such as the look-up of a name, does not keep the process alive.
const LAST_MS = 500

/** Runs a command line; sets the process's exit code. */
export async function runCli(argv: readonly string[]): Promise<void> {
  const program = new Command('fairlead')
    .description('Lead management and sales pipelines over PostgreSQL')
    .version(SERVICE.version)
    .showHelpAfterError('(add --help for the usage)')
  const commands = [
    serveCommand,
    workerCommand,
    mcpCommand,
    migrateCommand,
    demoCommand,
    accountCommand,
    keyCommand,
    userCommand,
    operatorCommand,
    agencyCommand,
    tokenCommand,
    billingCommand,
    tallyCommand,
    seedCommand,
  ]
  for (const make of commands) program.addCommand(make())
  for (const command of [program, ...withSubcommands(program)]) command.exitOverride()
  try {
    await program.parseAsync(argv)
  } catch (error) {
    process.exitCode = await fail(error, argv.includes('--json'))
    setTimeout(() => process.exit(), LAST_MS).unref()
  }
}

function withSubcommands(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...withSubcommands(child)])
}

/** Tells of a failure on stderr, with --json on stdout too, and returns the exit code. */
async function fail(error: unknown, json: boolean): Promise<number> {
  if (error instanceof CommanderError && error.exitCode === 0) return 0 // help and version
  const { exitCode, code, message, stack } = await failureOf(error)
  if (!(error instanceof CommanderError)) console.error(`fairlead: ${stack ?? message}`) // it has printed its own
  if (json) printFailure({ code, message })
  return exitCode
}
