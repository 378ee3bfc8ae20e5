import { Command } from 'commander'
import type { Database } from '../database/index.js'
import type { ApiKey, Keys } from '../domains/accounts/index.js'
import { commaSeparated, wholeNumber } from './arguments.js'
import { withEnvironment } from './environment.js'
import { print, table } from './output.js'

interface Json {
  json?: boolean
}

interface CreateOptions extends Json {
  account: string
  name: string
  permissions: string[]
  rateLimit?: number
}

export function keyCommand(): Command {
  const command = new Command('key').description('Manage API keys')
  command
    .command('create')
    .description('Create an API key and show it, this once')
    .requiredOption('--account <id>', 'the account that the key is for')
    .requiredOption('--name <name>', 'what the key is for')
    .requiredOption('--permissions <list>', 'comma-separated, such as contacts:read,tags:* or *', commaSeparated)
    .option('--rate-limit <number>', 'requests an hour; 1000 if left out', wholeNumber)
    .option('--json', 'print one JSON object: {id, key, prefix, permissions, rate_limit}')
    .action(create)
  command
    .command('list')
    .description('List API keys without their secrets, newest first')
    .option('--account <id>', 'only the keys of this account')
    .option('--json', 'print one JSON object: {keys}')
    .action(list)
  command
    .command('revoke')
    .description('End an API key')
    .argument('<id>', 'the id of the key')
    .option('--json', 'print one JSON object: {id, revoked_at}')
    .action(revoke)
  return command
}

async function keysOf(database: Database): Promise<Keys> {
  const [{ Keys }, { assembly }] = await Promise.all([import('../domains/accounts/index.js'), import('../assembly.js')])
  return new Keys(database, assembly.permissions)
}

function create({ account, name, permissions, rateLimit, ...options }: CreateOptions): Promise<void> {
  return withEnvironment({}, async ({ database }) => {
    const { key, secret } = await (await keysOf(database)).create({ accountId: account, name, permissions, rateLimit })
    const result = { id: key.id, key: secret, prefix: key.prefix, permissions, rate_limit: key.rateLimit }
    print(result, options, [`Key ${key.id} was created. It is shown only now:`, secret])
  })
}

function list({ account, ...options }: Json & { account?: string }): Promise<void> {
  return withEnvironment({}, async ({ database }) => {
    const keys = (await (await keysOf(database)).list(account)).map(describe)
    const rows = keys.map((key) => [
      key.id,
      key.prefix,
      key.name,
      key.permissions.join(','),
      key.revoked_at ?? 'in force',
    ])
    print({ keys }, options, table([['id', 'prefix', 'name', 'permissions', 'revoked'], ...rows]))
  })
}

function describe(key: ApiKey) {
  return {
    id: key.id,
    account_id: key.accountId,
    name: key.name,
    prefix: key.prefix,
    permissions: key.permissions,
    rate_limit: key.rateLimit,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  }
}

function revoke(id: string, options: Json): Promise<void> {
  return withEnvironment({}, async ({ database }) => {
    const { revokedAt } = await (await keysOf(database)).revoke(id)
    print({ id, revoked_at: revokedAt!.toISOString() }, options, [`Key ${id} is revoked.`])
  })
}
