import { Command } from 'commander'
import { withEnvironment } from './environment.js'
import { print } from './output.js'

export function accountCommand(): Command {
  const command = new Command('account').description('Manage accounts')
  command
    .command('create')
    .description('Create an account')
    .requiredOption('--name <name>', 'the name of the company')
    .option('--json', 'print one JSON object: {account_id}')
    .action((options: { name: string; json?: boolean }) =>
      withEnvironment({}, async ({ database }) => {
        const { Accounts } = await import('../domains/accounts/index.js')
        const { id } = await new Accounts(database).create({ name: options.name })
        print({ account_id: id }, options, [`Account ${id} was created.`])
      }),
    )
  return command
}
