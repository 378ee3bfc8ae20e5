import { Command } from 'commander'
import { withEnvironment } from '../environment.js'
import { print } from '../output.js'

export function demoCommand(): Command {
  return new Command('demo')
    .description('Make the demo account and agency, in place of earlier ones, and show their new credentials')
    .option('--json', 'print one JSON object: {account_id, api_key, agency_key, agency_token, user, ids}')
    .action((options: { json?: boolean }) =>
      withEnvironment({ migrate: true }, async ({ database, config }) => {
        const { makeDemo } = await import('./make.js')
        const demo = await makeDemo(database, config)
        const lines = [`Demo account ${demo.account_id} was made. Its API key, shown only now:`, demo.api_key]
        lines.push(`Sign in at /graphql as ${demo.user.email} with the password ${demo.user.password}`)
        lines.push(`The demo agency has the key ${demo.agency_key}. Its token, shown only now:`, demo.agency_token)
        print(demo, options, lines)
      }),
    )
}
