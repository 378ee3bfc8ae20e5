import { Command } from 'commander'
import type { Database } from '../database/index.js'
import type { FirstPassword, People } from '../domains/sessions/index.js'
import { withEnvironment } from './environment.js'
import { print } from './output.js'

interface NewPerson {
  email: string
  name?: string
  json?: boolean
}

const JSON_HELP = 'print one JSON object: {id, email, temporary_password}'

export function userCommand(): Command {
  const command = new Command('user').description('Manage users of accounts')
  command
    .command('create')
    .description('Create a user and show the temporary password, this once')
    .requiredOption('--account <id>', 'the account that the user works in')
    .requiredOption('--email <email>', 'the address to sign in with')
    .requiredOption('--role <role>', 'admin, manager or seller')
    .option('--name <name>', 'the full name; the email if left out')
    .option('--json', JSON_HELP)
    .action(({ account, role, ...person }: NewPerson & { account: string; role: string }) =>
      create('User', person, (people) => people.createUser(account, person, role)),
    )
  return command
}

export function operatorCommand(): Command {
  const command = new Command('operator').description('Manage those who run the service')
  command
    .command('create')
    .description('Create an operator and show the temporary password, this once')
    .requiredOption('--email <email>', 'the address to sign in with')
    .option('--name <name>', 'the full name; the email if left out')
    .option('--json', JSON_HELP)
    .action((person: NewPerson) => create('Operator', person, (people) => people.createOperator(person)))
  return command
}

function create(what: string, person: NewPerson, make: (people: People) => Promise<FirstPassword>): Promise<void> {
  return withEnvironment({}, async ({ database }) => {
    const { id, temporaryPassword } = await make(await peopleOf(database))
    const result = { id, email: person.email.trim(), temporary_password: temporaryPassword }
    print(result, person, [
      `${what} ${id} was created. The temporary password, shown only now, must be changed at the first sign-in:`,
      temporaryPassword,
    ])
  })
}

async function peopleOf(database: Database): Promise<People> {
  const { People } = await import('../domains/sessions/index.js')
  return new People(database)
}
