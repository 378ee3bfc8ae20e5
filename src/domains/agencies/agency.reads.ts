import { sql } from 'kysely'
import { AgencyReads } from '../../kit/agency-reads.js'
import { contains, equals, refersTo, where } from '../../kit/reads/index.js'
import { Agency } from './agency.entity.js'
import type { AgencyFilter, AgencyTokenFilter } from './agency.inputs.js'
import { AgencyToken } from './agency-token.entity.js'

/** The reads of agencies, newest first; a token sees the one that it is of. */
export const agencyReads = new AgencyReads<Agency, AgencyFilter>(
  {
    entity: Agency,
    filters: {
      search: contains((of) => sql`fold(${of('name')})`),
      agencyKey: equals('agencyKey'),
      hasPaymentMethod: where((of, value) => sql`(${of('payment_method')} is not null) = ${value}`),
    } satisfies Record<keyof AgencyFilter, unknown>,
    sorts: { created_at: 'createdAt' },
  },
  'id',
)

/** The reads of agencies' tokens, newest first; none brings the secret, of which only a hash is stored. */
export const agencyTokenReads = new AgencyReads<AgencyToken, AgencyTokenFilter>({
  entity: AgencyToken,
  filters: {
    agencyId: refersTo('agencyId'),
    isActive: where((of, value) => sql`(${of('revoked_at')} is null) = ${value}`),
  } satisfies Record<keyof AgencyTokenFilter, unknown>,
  sorts: { created_at: 'createdAt' },
})
