import { Command, InvalidArgumentError } from 'commander'
import type { Database } from '../database/index.js'
import type { ApiKey, IssuedKey, Keys } from '../domains/accounts/index.js'
import { commaSeparated, wholeNumber } from './arguments.js'
import { withEnvironment } from './environment.js'
import { type Json, print, table } from './output.js'

interface CreateOptions extends Json {
  account: string
  name: string
  permissions: string[]
  rateLimit?: number
  expires?: Date
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
    .option('--expires <time>', 'when the key ends by itself, such as 2030-01-31; never if left out', moment)
    .option('--json', 'print one JSON object: {id, key, prefix, permissions, rate_limit}, with expires_at if it ends')
    .action(create)
  command
    .command('list')
    .description('List API keys without their secrets, newest first')
    .option('--account <id>', 'only the keys of this account')
    .option('--json', 'print one JSON object: {keys}')
    .action(list)
  command
    .command('rotate')
    .description('Make a second API key with the same rights and show it, this once; the old one ends')
    .argument('<id>', 'the id of the old key')
    .option('--overlap <seconds>', 'how long the old key goes on; a day if left out', wholeNumber, 86_400)
    .option('--json', 'print one JSON object: {id, key, prefix, permissions, rate_limit}, with expires_at if it ends')
    .action(rotate)
  command
    .command('revoke')
    .description('End an API key')
    .argument('<id>', 'the id of the key')
    .option('--json', 'print one JSON object: {id, revoked_at}')
    .action(revoke)
  return command
}

async function keysOf(database: Database): Promise<Keys> {
  const { Keys } = await import('../domains/accounts/index.js')
  return new Keys(database)
}

function moment(text: string): Date {
  const date = new Date(text)
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(date.getTime())) return date
  throw new InvalidArgumentError('It must be a date or a time, such as 2030-01-31 or 2030-01-31T12:00:00Z.')
}

function create({ account, expires, json, ...wanted }: CreateOptions): Promise<void> {
  return withEnvironment({}, async ({ database }) => {
    const issued = await (await keysOf(database)).create({ accountId: account, expiresAt: expires, ...wanted })
    show(issued, { json })
  })
}

function rotate(id: string, { overlap, ...options }: Json & { overlap: number }): Promise<void> {
  return withEnvironment({}, async ({ database }) => show(await (await keysOf(database)).rotate(id, overlap), options))
}

function show({ key, secret }: IssuedKey, options: Json): void {
  const { id, prefix, permissions, rateLimit, expiresAt } = key
  const ends = expiresAt ? { expires_at: expiresAt.toISOString() } : {}
  const result = { id, key: secret, prefix, permissions, rate_limit: rateLimit, ...ends }
  print(result, options, [`Key ${id} was created. It is shown only now:`, secret])
}

function list({ account, ...options }: Json & { account?: string }): Promise<void> {
  return withEnvironment({}, async ({ database }) => {
    const keys = (await (await keysOf(database)).list(account)).map(describe)
    const rows = keys.map((key) => [
      key.id,
      key.prefix,
      key.name,
      key.permissions.join(','),
      key.revoked_at ?? key.expires_at ?? 'in force',
    ])
    print({ keys }, options, table([['id', 'prefix', 'name', 'permissions', 'ends'], ...rows]))
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
    expires_at: key.expiresAt?.toISOString() ?? null,
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
