import { Command, InvalidArgumentError } from 'commander'
import { withEnvironment } from './environment.js'
import { print } from './output.js'

interface SeedOptions {
  account: string
  contacts: number
  notes: number
  opportunities: number
  history: boolean
  seed: number
  json?: boolean
}

export function seedCommand(): Command {
  return new Command('seed')
    .description('Fill an account with test data, the same for the same seed')
    .requiredOption('--account <id>', 'the account to fill')
    .requiredOption('--contacts <number>', 'how many contacts', wholeNumber)
    .option('--notes <number>', 'notes on each contact', wholeNumber, 2)
    .option('--opportunities <number>', 'how many opportunities, of these contacts in turns', wholeNumber, 0)
    .option('--history', 'what happened to each opportunity, too', false)
    .option('--seed <number>', 'what the data follows from', wholeNumber, 1)
    .option('--json', 'print one JSON object: {rows, seconds, rows_per_second}')
    .action(seed)
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

function seed({ account, seed, json, ...amounts }: SeedOptions): Promise<void> {
  return withEnvironment({}, async ({ database }) => {
    const [{ seedAccount }, { assembly }, { SingleBar, Presets }] = await Promise.all([
      import('../seed/index.js'),
      import('../assembly.js'),
      import('cli-progress'),
    ])
    const bar = new SingleBar({ stream: process.stderr, etaBuffer: 50, hideCursor: true }, Presets.shades_classic)
    bar.start(amounts.contacts + amounts.opportunities, 0)
    const started = performance.now()
    const plan = { accountId: account, seed, ...amounts }
    const rows = await seedAccount(database, assembly.tallies, plan, (done) => bar.update(done))
    bar.stop()
    const seconds = Math.round((performance.now() - started) / 100) / 10
    const result = { rows, seconds, rows_per_second: Math.round(rows / Math.max(seconds, 0.1)) }
    print(result, { json }, [`${rows} rows in ${seconds} s: ${result.rows_per_second} rows a second.`])
  })
}
