import { sql } from 'kysely'
import { Reads, refersTo, where } from '../../kit/reads/index.js'
import { ApiKey } from './api-key.entity.js'
import type { ApiKeyFilter } from './api-key.inputs.js'

/** The reads of keys, newest first; none brings the secret, of which only a hash is stored. */
export const apiKeyReads = new Reads<Omit<ApiKey, 'hash' | 'accountId'>, ApiKeyFilter>({
  entity: ApiKey,
  filters: {
    isActive: where(
      (of, value) => sql`(${of('revoked_at')} is null and coalesce(${of('expires_at')} > now(), true)) = ${value}`,
    ),
    createdById: refersTo('createdById'),
  } satisfies Record<keyof ApiKeyFilter, unknown>,
  sorts: { created_at: 'createdAt' },
})
