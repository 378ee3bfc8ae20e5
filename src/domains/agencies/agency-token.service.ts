import { type EntityManager, LockMode } from '@mikro-orm/postgresql'
import { type Database, Scope } from '../../database/index.js'
import { tellChange } from '../../kit/changes.js'
import { hashCredential, isCredential, makeCredential, shownPrefix } from '../../shared/credential.js'
import { AppError } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { NO_ACCOUNT } from '../../shared/viewer.js'
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

  /** Stores a new token, in the transaction of the scope if it has one open. */
  async create(agencyKey: string, scopes: readonly string[], db: Scope = this.own()): Promise<IssuedToken> {
    checkScopes(scopes)
    const secret = makeCredential(TOKEN_PREFIX)
    return db.unitOfWork(async (em) => {
      const { id: agencyId } = await agencyOf(em, agencyKey)
      const token = em.create(AgencyToken, {
        agencyId,
        prefix: shownPrefix(TOKEN_PREFIX, secret),
        hash: hashCredential(secret),
        scopes: [...new Set(scopes)],
      })
      await em.flush()
      await tellChange(db, 'agency_token', token.id, 'created')
      return { token, secret }
    })
  }

  /** The tokens of an agency, or all, newest first, the revoked ones among them. */
  async list(agencyKey?: string): Promise<AgencyToken[]> {
    const em = this.database.fork()
    const of = agencyKey === undefined ? {} : { agencyId: (await agencyOf(em, agencyKey)).id }
    return em.find(AgencyToken, of, { orderBy: { id: 'desc' } })
  }

  /** Ends a token. Processes other than this one notice within a second. Revoking twice keeps the first moment. */
  revoke(id: string, db: Scope = this.own()): Promise<AgencyToken> {
    return db.unitOfWork(async (em) => {
      const token = isUuid(id) ? await em.findOne(AgencyToken, id, { lockMode: LockMode.PESSIMISTIC_WRITE }) : null
      if (!token) throw new AppError('NOT_FOUND', `There is no token ${id}.`)
      if (token.revokedAt) return token
      token.revokedAt = new Date()
      await tellChange(db, 'agency_token', token.id, 'revoked')
      db.forget(token.id)
      return token
    })
  }

  private own(): Scope {
    return Scope.ofOperator(this.database, NO_ACCOUNT)
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
