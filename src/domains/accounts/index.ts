import { defineDomain } from '../../kit/domain.js'
import { Account } from './account.entity.js'
import { AccountResolver } from './account.resolver.js'
import { ApiKey } from './api-key.entity.js'
import { ApiKeyResolver } from './api-key.resolver.js'
import { SessionResolver } from './session.resolver.js'

export { Account } from './account.entity.js'
export { accountCreated } from './account.facts.js'
export { accountLoader } from './account.loaders.js'
export { Accounts, removeAccounts } from './account.service.js'
export { ApiKey, DEFAULT_RATE_LIMIT } from './api-key.entity.js'
export { type IssuedKey, revokeAllKeys } from './api-key.service.js'
export { apiKeyCredentials } from './api-key-credential.service.js'
export {
  Authenticator,
  type CredentialKind,
  type FoundCredential,
  type KnownCaller,
} from './authentication.service.js'
export { FailedAuthentications, TooManyFailures } from './failed-authentication.service.js'
export { LastUse } from './last-use.service.js'
export { Keys } from './operator-keys.service.js'
export { RateLimit, requestCounter } from './rate-limit.service.js'
export { standingOf, standingsInTurn } from './standing.service.js'

/** Whom the service works for, and the keys with which their programs call. */
export const accounts = defineDomain({
  name: 'accounts',
  entities: [Account, ApiKey],
  resolvers: [SessionResolver, AccountResolver, ApiKeyResolver],
  permissions: {
    'settings:write': {
      allows: 'manage the account itself, pipelines, campaigns, collection agents, owner rules and reference lists',
      lasting: true,
    },
    'keys:write': { allows: 'list, make, rotate and revoke API keys that may do no more', lasting: true },
  },
})
