import { randomUUID } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import type { Database } from '../../../src/database/index.js'
import { type User, UserRole } from '../../../src/domains/users/index.js'
import { type Client, createClient } from '../client.js'
import { makeTenant, type Tenant } from '../factories.js'
import { makeUser } from './users.js'

export const PASSWORD = 'correct horse battery'

/** A user who can sign in. */
export interface Person {
  id: string
  email: string
  tenant: Tenant
}

type Service = { database: Database; origin: string }

// The cheapest that argon2id allows: what a test stores needs no protection.
const CHEAP = { algorithm: 2, memoryCost: 8, timeCost: 1, parallelism: 1 }
const known = new Map<string, Promise<string>>()

/** Gives a user or operator a password, without the rules that hold for people. */
export async function givePassword({ pool }: Database, id: string, password = PASSWORD, temporary = false) {
  if (!known.has(password)) known.set(password, hash(password, CHEAP))
  const stored = await known.get(password)
  await pool.query('update sign_in set password_hash = $2, is_temporary = $3 where id = $1', [id, stored, temporary])
}

/** A user of a new account, or of the tenant's: an admin unless said otherwise, with PASSWORD. */
export async function makePerson(
  service: Service,
  { tenant, temporary, ...user }: Partial<User> & { tenant?: Tenant; temporary?: boolean } = {},
): Promise<Person> {
  const home = tenant ?? (await makeTenant(service))
  const email = user.email ?? `Bia.${randomUUID()}@Example.com`
  const { id } = await makeUser(service.database, home.accountId, { role: UserRole.ADMIN, ...user, email })
  await givePassword(service.database, id, PASSWORD, temporary)
  return { id, email, tenant: home }
}

/** An operator with PASSWORD. */
export async function makeOperator({ database }: Pick<Service, 'database'>): Promise<{ id: string; email: string }> {
  const [id, email] = [randomUUID(), `op.${randomUUID()}@example.com`]
  await database.pool.query("insert into operator (id, name, email) values ($1, 'Op', $2)", [id, email])
  await givePassword(database, id)
  return { id, email }
}

export const LOGIN = `mutation ($email: String!, $password: String!) {
  login(email: $email, password: $password) { token expiresAt mustChangePassword } }`

/** Signs in, and calls with the session from then on. */
export async function signIn({ origin }: Service, email: string, password = PASSWORD) {
  const { body } = await createClient(origin).graphql(LOGIN, { email, password })
  if (body.errors) throw new Error(JSON.stringify(body.errors))
  const { token } = body.data.login as { token: string }
  return { token, client: withSession(origin, token) }
}

/** Calls /graphql with a session, as a dashboard would. */
export function withSession(origin: string, token: string): Client {
  const client = createClient(origin)
  const graphql: Client['graphql'] = async (query, variables) => {
    const response = await fetch(`${origin}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
  }
  return { ...client, graphql }
}
