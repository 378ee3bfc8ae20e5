import { defineNeed, type Scope } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { Agency } from './agency.entity.js'
import type { Agencies, NewAgency } from './agency.service.js'
import type { AgencyToken } from './agency-token.entity.js'
import type { AgencyTokens, IssuedToken } from './agency-token.service.js'

/** With what operators manage agencies. */
export interface AgenciesMeans {
  agencies: Agencies
  tokens: AgencyTokens
}
export const agenciesMeans = defineNeed<AgenciesMeans>('agencies')

/** Creates an agency; the provider of billing is asked before anything is stored. */
export const createAgency = (db: Scope, input: NewAgency): Promise<Agency> =>
  db.get(agenciesMeans).agencies.create(input, db)

/** Puts a card on file in place of the one before; throws VALIDATION_ERROR for one that cannot be. */
export async function changePaymentMethod(db: Scope, id: string, paymentMethod: string): Promise<Agency> {
  if (!isUuid(id)) throw noAgency()
  return db.get(agenciesMeans).agencies.changePaymentMethod(id, paymentMethod, db)
}

/** Issues a token, which is shown this once. */
export function issueToken(db: Scope, agencyId: string, scopes: string[]): Promise<IssuedToken> {
  return db.unitOfWork(async (em) => {
    const agency = isUuid(agencyId) ? await em.findOne(Agency, agencyId) : null
    if (!agency) throw noAgency()
    return db.get(agenciesMeans).tokens.create(agency.agencyKey, scopes, db)
  })
}

/** Ends a token: here at once, in other processes within a second. Of one that was revoked nothing changes. */
export const revokeToken = (db: Scope, id: string): Promise<AgencyToken> => db.get(agenciesMeans).tokens.revoke(id, db)

const noAgency = () => new AppError('NOT_FOUND', 'There is no agency with this id.')
