import { defineDomain } from '../../kit/domain.js'
import { accounts } from '../accounts/index.js'
import { Agency } from './agency.entity.js'
import { AgencyResolver } from './agency.resolver.js'
import { AgencyToken } from './agency-token.entity.js'
import { AgencyTokenResolver } from './agency-token.resolver.js'
import { SCOPES } from './agency-token.service.js'

export { Agency, type CardFace, CHANNELS, type Channel } from './agency.entity.js'
export { agencyReads } from './agency.reads.js'
export { Agencies, DEFAULT_CURRENCY, DEFAULT_SEAT_PRICE, type NewAgency, removeDemoAgency } from './agency.service.js'
export { AgencyToken } from './agency-token.entity.js'
export { AgencyTokens, SCOPES, type TokenScope } from './agency-token.service.js'
export { agencyTokenCredentials } from './agency-token-credential.service.js'
export { storeCard } from './card.service.js'
export { type AgenciesMeans, agenciesMeans } from './operator-agencies.service.js'

/** Who has sub-accounts for clients of its own, and the tokens with which their programs call. */
export const agencies = defineDomain({
  name: 'agencies',
  uses: [accounts],
  entities: [Agency, AgencyToken],
  resolvers: [AgencyResolver, AgencyTokenResolver],
  permissions: {
    ...Object.fromEntries(
      Object.entries(SCOPES).map(([scope, allows]) => [scope, { allows, tokenOnly: true, lasting: true } as const]),
    ),
    'agencies:read': { allows: 'see the agencies, their sub-accounts, events and money', operatorOnly: true },
    'agencies:write': {
      allows: 'manage agencies, their tokens and trials',
      operatorOnly: true,
      lasting: true,
    },
  },
})
