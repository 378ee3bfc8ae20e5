import { sql } from 'kysely'
import { param, Statement } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import { NO_ACCOUNT } from '../../shared/viewer.js'
import type { CredentialKind, FoundCredential } from '../accounts/index.js'
import { TOKEN_PREFIX } from './agency-token.service.js'

interface Row extends FoundCredential {
  id: string
  agencyId: string
  agencyKey: string
  prefix: string
  scopes: string[]
}

/** Requests in an hour at /graphql. Nobody counts those to the agencies' API, whose limits are rules of what is done. */
const RATE_LIMIT = 10_000

const TOKENS = `select t.id, t.agency_id as "agencyId", a.agency_key as "agencyKey", t.prefix, t.hash, t.scopes
  from agency_token t join agency a on a.id = t.agency_id`

const hold = new Statement<Row>(
  sql<Row>`${sql.raw(TOKENS)} where t.id = ${param('id')} and t.agency_id = ${param('agency')} and t.revoked_at is null
    for share of t`,
)

/** Agencies' tokens as a kind of credential: they stand for their agency, with the scopes that each was given. */
export const agencyTokenCredentials: CredentialKind = {
  kind: 'agency_token',
  prefix: TOKEN_PREFIX,
  find: `${TOKENS} where t.hash = $1 and t.revoked_at is null`,
  hold: async (db) => (await db.rows(hold, { id: db.viewer.actor.id }))[0],
  become(row) {
    const { id, agencyId, agencyKey, prefix, scopes } = row as Row
    const actor = { kind: 'agency_token', id, name: prefix } as const
    const viewer = { accountId: NO_ACCOUNT, agencyId, agencyKey, permissions: scopes, held: new Set(scopes), actor }
    return { viewer, countedAs: id, rateLimit: RATE_LIMIT }
  },
  refusal: () => new AppError('INVALID_API_KEY', 'This token is unknown, malformed or revoked.'),
  table: 'agency_token',
}
