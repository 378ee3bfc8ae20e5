import { Command } from 'commander'
import { withEnvironment } from './environment.js'
import { print } from './output.js'

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('Bring the database up to date; safe to run from several processes at once')
    .option('--json', 'print one JSON object: {applied}')
    .action((options: { json?: boolean }) =>
      withEnvironment({ migrate: true }, async ({ migrated: applied }) => {
        print({ applied }, options, applied.length > 0 ? applied : ['The database is up to date.'])
      }),
    )
}
