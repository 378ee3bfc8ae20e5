import { sql } from 'kysely'
import { param, Statement } from '../../database/index.js'
import { type Permissions, permissionsHeld } from '../../kit/permissions.js'
import { KEY_PREFIX } from './api-key.service.js'
import { type CredentialKind, type FoundCredential, invalidKey } from './authentication.service.js'

interface Row extends FoundCredential {
  id: string
  accountId: string
  name: string
  permissions: string[]
  rateLimit: number
}

const KEYS = `select id, account_id as "accountId", name, hash, permissions, rate_limit as "rateLimit" from api_key`
const IN_FORCE = 'revoked_at is null and (expires_at is null or expires_at > now())'

const own = sql`${sql.raw(KEYS)} where id = ${param('id')} and account_id = ${param('account')} and ${sql.raw(IN_FORCE)}`
const look = new Statement<Row>(sql<Row>`${own}`)
const hold = new Statement<Row>(sql<Row>`${own} for share`)

/** API keys as a kind of credential: they stand for their account, with the permissions that each was granted. */
export function apiKeyCredentials(declared: Permissions): CredentialKind {
  return {
    kind: 'api_key',
    prefix: KEY_PREFIX,
    find: `${KEYS} where hash = $1 and ${IN_FORCE}`,
    async hold(db, permission) {
      const { id } = db.viewer.actor
      // Where keys change it is their turn that holds it: of several keys one locks none but what it changes.
      const [own] = await db.rows(permission === 'keys:write' ? look : hold, { id })
      return own
    },
    become(row) {
      const { id, accountId, name, permissions, rateLimit } = row as Row
      const held = permissionsHeld(permissions, declared)
      return {
        viewer: { accountId, permissions, held, actor: { kind: 'api_key', id, name } },
        countedAs: id,
        rateLimit,
      }
    },
    refusal: invalidKey,
    table: 'api_key',
  }
}
