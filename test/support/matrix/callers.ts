import { Keys } from '../../../src/domains/accounts/index.js'
import { UserRole } from '../../../src/domains/users/index.js'
import { makeAgency } from '../agencies.js'
import type { TestApp } from '../app.js'
import { type Client, createClient } from '../client.js'
import { makeOperator, makePerson, signIn } from '../factories/people.js'
import { makeKey, makeTenant, type Tenant } from '../factories.js'
import type { Word } from './access-table.js'
import { ADMIN_ONLY, OF_PEOPLE, OF_TOKENS, ORDINARY } from './holders.js'

/** Somebody who asks for everything. */
export interface Caller {
  name: string
  kind: 'anonymous' | 'key' | 'session' | 'token'
  holds: readonly Word[]
  /** With a password that must be changed. */
  temporary?: boolean
  /** The code that is all that they are answered, but for what is public of those without any credential. */
  refused?: string
  /** What root fields that let them in answer, other than all else. */
  told?: Readonly<Record<string, string>>
  /** What is sent with each request. */
  headers: Record<string, string>
  client: Client
}

/** What those who belong to no account are told of it, and of agencies that are not there. */
const NOT_THEIRS = {
  session: 'NOT_FOUND',
  agency: 'NOT_FOUND',
  agencyBilling: 'NOT_FOUND',
  subAccount: 'NOT_FOUND',
  agencyEvent: 'EVENT_NOT_FOUND',
}

/** A new account in which all callers of a matrix are. */
export const makeHome = (service: TestApp): Promise<Tenant> => makeTenant(service)

const GRANTABLE = [...ORDINARY, ...ADMIN_ONLY]

/** The keys of the matrix, by name: what is granted, and what is held thereby. */
export const KEYS: readonly { name: string; granted: readonly Word[]; holds: readonly Word[]; lacks?: Word }[] = [
  { name: 'a key of *', granted: ['*'], holds: ORDINARY },
  ...GRANTABLE.map((word) => ({ name: `a key of ${word}`, granted: [word], holds: [word] })),
  ...GRANTABLE.map((lacks) => {
    const others = GRANTABLE.filter((word) => word !== lacks)
    return { name: `a key of all but ${lacks}`, granted: others, holds: others, lacks }
  }),
]

/** The people of the matrix, and those whom nobody knows (any more). */
export const OTHERS = [
  'nobody',
  'seller',
  'manager',
  'admin',
  'operator',
  'admin with a temporary password',
  'ended session',
  'revoked key',
  'token of an agency',
] as const

/** A caller with a key of the account. */
export async function keyCaller(service: TestApp, home: Tenant, { name, granted, holds }: (typeof KEYS)[number]) {
  const { secret } = await makeKey(service.database, home.accountId, {
    permissions: [...granted],
    rateLimit: 100_000_000,
  })
  return { name, kind: 'key', holds, ...sending(service, secret) } as Caller
}

/** One of the others. */
export async function otherCaller(service: TestApp, home: Tenant, name: (typeof OTHERS)[number]): Promise<Caller> {
  const known = { name, kind: 'session', holds: [] } as const
  const session = async (role: UserRole, temporary = false) => {
    const { email } = await makePerson(service, { tenant: home, role, temporary })
    return sending(service, (await signIn(service, email)).token)
  }
  switch (name) {
    case 'nobody':
      return { ...known, kind: 'anonymous', refused: 'MISSING_API_KEY', ...sending(service) }
    case 'seller': {
      const { id, email } = await makePerson(service, { tenant: home, role: UserRole.SELLER })
      await giveAllTo(service, home, id)
      return { ...known, holds: OF_PEOPLE.seller, ...sending(service, (await signIn(service, email)).token) }
    }
    case 'manager':
      return { ...known, holds: OF_PEOPLE.manager, ...(await session(UserRole.MANAGER)) }
    case 'admin':
      return { ...known, holds: OF_PEOPLE.admin, ...(await session(UserRole.ADMIN)) }
    case 'admin with a temporary password':
      return { ...known, temporary: true, ...(await session(UserRole.ADMIN, true)) }
    case 'operator':
      // Belongs to no account, so that there is none to tell of.
      return {
        ...known,
        holds: OF_PEOPLE.operator,
        told: NOT_THEIRS,
        ...(await operatorSession(service)),
      }
    case 'ended session': {
      const ended = await session(UserRole.ADMIN)
      await ended.client.graphql('mutation { logout }')
      return { ...known, refused: 'INVALID_SESSION', ...ended }
    }
    case 'revoked key': {
      const { key, secret } = await makeKey(service.database, home.accountId)
      await new Keys(service.database).revoke(key.id)
      return { ...known, kind: 'key', refused: 'INVALID_API_KEY', ...sending(service, secret) }
    }
    case 'token of an agency': {
      const { token } = await makeAgency(service)
      // Belongs to no account, so that there is none to tell of.
      return { ...known, kind: 'token', holds: OF_TOKENS, told: NOT_THEIRS, ...sending(service, token) }
    }
  }
}

/** Makes all records of the account the seller's own, which are the only ones that a seller sees. */
async function giveAllTo({ database: { pool } }: TestApp, { accountId }: Tenant, seller: string): Promise<void> {
  const values = [accountId, seller]
  await pool.query('update opportunity set owner_user_id = $2 where account_id = $1', values)
  await pool.query('update conversation set assigned_user_id = $2 where account_id = $1', values)
  await pool.query(
    `insert into contact_seller (account_id, user_id, contact_id, created)
       select account_id, $2, id, true from contact where account_id = $1
     on conflict do nothing`,
    values,
  )
}

async function operatorSession(service: TestApp) {
  const { email } = await makeOperator(service)
  return sending(service, (await signIn(service, email)).token)
}

/** What all take that a caller may ask of both APIs: the credential as a Bearer token. */
function sending({ origin }: TestApp, credential?: string): Pick<Caller, 'headers' | 'client'> {
  const headers: Record<string, string> = credential ? { Authorization: `Bearer ${credential}` } : {}
  const client = createClient(origin)
  const graphql: Client['graphql'] = async (query, variables) => {
    const response = await fetch(`${origin}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
  }
  return { headers, client: { ...client, graphql } }
}
