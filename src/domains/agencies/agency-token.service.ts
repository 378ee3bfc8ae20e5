import type { EntityManager } from '@mikro-orm/postgresql'
import type { Database } from '../../database/index.js'
import { hashCredential, isCredential, makeCredential, shownPrefix } from '../../shared/credential.js'
import { AppError } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { Agency } from './agency.entity.js'
import { AgencyToken } from './agency-token.entity.js'

export const TOKEN_PREFIX = 'fl_agency_'

/** What a token may do, and what each scope allows. */
export const SCOPES = {
  'sub_account.create': 'create sub-accounts',
  'sub_account.channels': "change the channels of sub-accounts, which may charge the agency's card",
  'sub_account.credentials': 'be told the temporary password of the admin of a sub-account that it creates',
  'sub_account.delete': 'delete sub-accounts',
} as const
export type TokenScope = keyof typeof SCOPES

/** A token with its secret, which is shown this once. */
export interface IssuedToken {
  token: AgencyToken
  secret: string
}

/** The operator's side of agencies' tokens: issue, list and revoke. */
export class AgencyTokens {
  constructor(private readonly database: Database) {}

  /** Stores a new token, in the given unit of work if it is part of a larger one. */
  async create(agencyKey: string, scopes: readonly string[], em?: EntityManager): Promise<IssuedToken> {
    const unit = em ?? this.database.fork()
    checkScopes(scopes)
    const { id: agencyId } = await agencyOf(unit, agencyKey)
    const secret = makeCredential(TOKEN_PREFIX)
    const token = unit.create(AgencyToken, {
      agencyId,
      prefix: shownPrefix(TOKEN_PREFIX, secret),
      hash: hashCredential(secret),
      scopes: [...new Set(scopes)],
    })
    await unit.flush()
    return { token, secret }
  }

  /** The tokens of an agency, or all, newest first, the revoked ones among them. */
  async list(agencyKey?: string): Promise<AgencyToken[]> {
    const em = this.database.fork()
    const of = agencyKey === undefined ? {} : { agencyId: (await agencyOf(em, agencyKey)).id }
    return em.find(AgencyToken, of, { orderBy: { id: 'desc' } })
  }

  /** Ends a token. Processes other than this one notice within a second. Revoking twice keeps the first moment. */
  async revoke(id: string): Promise<AgencyToken> {
    const em = this.database.fork()
    const token = isUuid(id) ? await em.findOne(AgencyToken, id) : null
    if (!token) throw new AppError('NOT_FOUND', `There is no token ${id}.`)
    token.revokedAt ??= new Date()
    await em.flush()
    return token
  }
}

async function agencyOf(em: EntityManager, agencyKey: string): Promise<Agency> {
  const agency = await em.findOne(Agency, { agencyKey })
  if (!agency) throw new AppError('NOT_FOUND', `There is no agency with the key ${agencyKey}.`)
  return agency
}

function checkScopes(scopes: readonly string[]): void {
  if (scopes.length === 0) throw new AppError('VALIDATION_ERROR', 'A token needs at least one scope.')
  const unknown = scopes.filter((scope) => !Object.hasOwn(SCOPES, scope))
  if (unknown.length > 0) {
    const known = Object.keys(SCOPES).join(', ')
    throw new AppError('VALIDATION_ERROR', `Unknown scope: ${unknown.join(', ')}. There are ${known}.`)
  }
}

/** Whether a text has the form of an agency's token; the checksum catches typing errors without a look into the database. */
export function looksLikeToken(text: string): boolean {
  return isCredential(TOKEN_PREFIX, text)
}
