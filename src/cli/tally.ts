import { Command } from 'commander'
import { withEnvironment } from './environment.js'
import { print } from './output.js'

export function tallyCommand(): Command {
  const command = new Command('tally').description('Look after the kept totals')
  command
    .command('verify')
    .description('Count anew and compare with the kept totals; exit code 1 when one is wrong')
    .option('--json', 'print one JSON object: {tallies: [{name, mismatches}]}')
    .action(verify)
  return command
}

function verify(options: { json?: boolean }): Promise<void> {
  return withEnvironment({}, async ({ database }) => {
    const [{ verifyTally }, { assembly }] = await Promise.all([
      import('../database/index.js'),
      import('../assembly.js'),
    ])
    const results = []
    for (const tally of assembly.tallies) {
      results.push({ name: tally.name, mismatches: await verifyTally(database.pool, tally) })
    }
    const lines = results.map(({ name, mismatches }) =>
      mismatches.length === 0
        ? `${name}: right`
        : `${name}: WRONG\n${mismatches.map((m) => JSON.stringify(m)).join('\n')}`,
    )
    print({ tallies: results }, options, lines)
    if (results.some(({ mismatches }) => mismatches.length > 0)) process.exitCode = 1
  })
}
