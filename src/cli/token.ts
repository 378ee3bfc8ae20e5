import { Command } from 'commander'
import type { Database } from '../database/index.js'
import type { AgencyToken, AgencyTokens } from '../domains/agencies/index.js'
import { commaSeparated } from './arguments.js'
import { withEnvironment } from './environment.js'
import { type Json, print, table } from './output.js'

export function tokenCommand(): Command {
  const command = new Command('token').description("Manage the tokens of agencies' programs")
  command
    .command('create')
    .description('Create a token and show it, this once')
    .requiredOption('--agency <key>', 'the key of the agency that the token is for')
    .requiredOption(
      '--scopes <list>',
      'comma-separated: sub_account.create, .channels, .credentials, .delete',
      commaSeparated,
    )
    .option('--json', 'print one JSON object: {id, token}')
    .action(create)
  command
    .command('list')
    .description('List tokens without their secrets, newest first')
    .option('--agency <key>', 'only the tokens of this agency')
    .option('--json', 'print one JSON object: {tokens}')
    .action(list)
  command
    .command('revoke')
    .description('End a token')
    .argument('<id>', 'the id of the token')
    .option('--json', 'print one JSON object: {id, revoked_at}')
    .action(revoke)
  return command
}

async function tokensOf(database: Database): Promise<AgencyTokens> {
  const { AgencyTokens } = await import('../domains/agencies/index.js')
  return new AgencyTokens(database)
}

function create({ agency, scopes, ...options }: Json & { agency: string; scopes: string[] }): Promise<void> {
  return withEnvironment({}, async ({ database }) => {
    const { token, secret } = await (await tokensOf(database)).create(agency, scopes)
    print({ id: token.id, token: secret }, options, [`Token ${token.id} was created. It is shown only now:`, secret])
  })
}

function list({ agency, ...options }: Json & { agency?: string }): Promise<void> {
  return withEnvironment({}, async ({ database }) => {
    const tokens = (await (await tokensOf(database)).list(agency)).map(describe)
    const rows = tokens.map((token) => [token.id, token.prefix, token.scopes.join(','), token.revoked_at ?? 'in force'])
    print({ tokens }, options, table([['id', 'prefix', 'scopes', 'revoked'], ...rows]))
  })
}

function describe(token: AgencyToken) {
  return {
    id: token.id,
    agency_id: token.agencyId,
    prefix: token.prefix,
    scopes: token.scopes,
    created_at: token.createdAt.toISOString(),
    last_used_at: token.lastUsedAt?.toISOString() ?? null,
    revoked_at: token.revokedAt?.toISOString() ?? null,
  }
}

function revoke(id: string, options: Json): Promise<void> {
  return withEnvironment({}, async ({ database }) => {
    const { revokedAt } = await (await tokensOf(database)).revoke(id)
    print({ id, revoked_at: revokedAt!.toISOString() }, options, [`Token ${id} is revoked.`])
  })
}
