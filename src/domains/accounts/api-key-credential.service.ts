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

/** API keys as a kind of credential: they stand for their account, with the permissions that each was granted. */
export function apiKeyCredentials(declared: Permissions): CredentialKind {
  return {
    kind: 'api_key',
    prefix: KEY_PREFIX,
    find: `select id, account_id as "accountId", name, hash, permissions, rate_limit as "rateLimit"
      from api_key where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
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
