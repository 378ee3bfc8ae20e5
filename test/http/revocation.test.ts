import { jest } from '@jest/globals'
import { Keys } from '../../src/domains/accounts/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { makePerson, signIn, withSession } from '../support/factories/people.js'
import { makeTenant, type Tenant } from '../support/factories.js'

// The clock stands still, so that no process looks anew because it has believed something for long enough: what it learns,
// it was told.
let one: TestApp
let other: TestApp
beforeAll(async () => {
  one = await startTestApp()
  other = await startTestApp({}, undefined, one)
  jest.useFakeTimers({
    now: Date.now(),
    doNotFake: [
      ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
      ...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
    ],
  })
})
afterAll(async () => {
  jest.useRealTimers()
  await other?.stop()
  await one?.stop()
})

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 1000; i++) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`It never came to this: ${what}.`)
}

const inOther = (tenant: Tenant) => createClient(other.origin, tenant.key).get('/')
const refused = (tenant: Tenant) => async () => (await inOther(tenant)).status === 401

test('a key that one process ends is refused by the others, who believed it', async () => {
  const tenant = await makeTenant(one)
  expect((await inOther(tenant)).status).toBe(200)
  await new Keys(one.database).revoke(tenant.keyId)
  await until('the key is refused', refused(tenant))
})

test('a session that one process ends is refused by the others', async () => {
  const { email } = await makePerson(one)
  const { token, client } = await signIn(one, email)
  const me = () => withSession(other.origin, token).graphql('{ me { id } }')
  expect((await me()).body.errors).toBeUndefined()
  await client.graphql('mutation { logout }')
  await until('the session is refused', async () => (await me()).status === 401)
})

test('a role that one process changes counts in the others', async () => {
  const admin = await makePerson(one)
  const { client } = await signIn(one, admin.email)
  const seller = await makePerson(one, { tenant: admin.tenant })
  const { token } = await signIn(one, seller.email)
  const rights = async () => {
    const { body } = await withSession(other.origin, token).graphql('{ session { key { permissions } } }')
    return body.data.session.key.permissions as string[]
  }
  expect(await rights()).toContain('users:write')
  const change = 'mutation ($id: ID!) { updateUser(id: $id, input: { role: SELLER }) { id } }'
  expect((await client.graphql(change, { id: seller.id })).body.errors).toBeUndefined()
  await until('the rights are a seller’s', async () => !(await rights()).includes('users:write'))
})

test('what was told while a process did not listen counts once it listens again', async () => {
  const tenant = await makeTenant(one)
  expect((await inOther(tenant)).status).toBe(200)
  const { pool } = one.database
  const cut = await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'fairlead notices'`)
  expect(cut.rowCount).toBe(2)
  // Nobody is told of it at all.
  await pool.query('update api_key set revoked_at = now() where id = $1', [tenant.keyId])
  await until('the key is refused', refused(tenant))
  await until('both listen again', async () => {
    const { rowCount } = await pool.query(`select from pg_stat_activity
      where datname = current_database() and application_name = 'fairlead notices' and query like 'listen%'`)
    return rowCount === 2
  })
  const later = await makeTenant(one)
  expect((await inOther(later)).status).toBe(200)
  await new Keys(one.database).revoke(later.keyId)
  await until('the later key is refused', refused(later))
})
