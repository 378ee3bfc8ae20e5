import { assembly } from '../../src/assembly.js'
import { accessOf, createSchema } from '../../src/graphql/index.js'
import { makeAgency, newClient } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { AUDITED } from '../support/audited.js'
import { type Client, createClient } from '../support/client.js'
import { Deadlocks, NONE } from '../support/deadlocks.js'
import { makeOperator, makePerson, signIn } from '../support/factories/people.js'
import { makeKey, makeTenant, type Tenant } from '../support/factories.js'
import { dataOf } from '../support/graphql.js'
import { untilBehind } from '../support/holding.js'
import { type Stock, stockOf } from '../support/stock.js'

// A process believes a credential for up to a second. What lasts longer than that is not done on belief alone: these tests
// end rights in the database, without telling the process, and call before it looks again.

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const mutations = createSchema(assembly).getMutationType()!.getFields()
const named = (permissions: string[]) =>
  Object.keys(mutations).filter((name) => permissions.includes(accessOf(mutations[name]!)))

const sql = (text: string, id: string) => service.database.pool.query(text, [id])
const codeOf = async (client: Client, call: string) => {
  const { body } = await client.graphql(`mutation { ${call} }`)
  return body.errors?.[0].extensions.code ?? 'done'
}
/** Has the process believe in a credential from now on. */
const believe = async (client: Client) => dataOf(await client.graphql('{ service { version } }'))

describe('of an account', () => {
  const calls = named(['settings:write', 'users:write', 'keys:write'])
  let tenant: Tenant
  let stock: Stock
  beforeAll(async () => {
    tenant = await makeTenant(service)
    stock = await stockOf(service.database, tenant.accountId)
  })

  const ends: [string, string, string][] = [
    ['who was deactivated', 'update app_user set is_active = false where id = $1', 'INVALID_SESSION'],
    ['who was deleted', 'update app_user set deleted_at = now() where id = $1', 'INVALID_SESSION'],
    ['whose sessions were ended', 'delete from sign_in_session where sign_in_id = $1', 'INVALID_SESSION'],
    ['whose role was lowered', "update app_user set role = 'manager' where id = $1", 'INSUFFICIENT_PERMISSIONS'],
    [
      'who was given a temporary password',
      'update sign_in set is_temporary = true where id = $1',
      'PASSWORD_CHANGE_REQUIRED',
    ],
  ]

  test.each(ends)('somebody %s meanwhile leaves nothing that lasts', async (_who, end, expected) => {
    const told: Record<string, string> = {}
    for (const name of calls) {
      const person = await makePerson(service, { tenant })
      const { client } = await signIn(service, person.email)
      await believe(client)
      await sql(end, person.id)
      told[name] = await codeOf(client, callOf(name))
    }
    expect(told).toEqual(Object.fromEntries(calls.map((name) => [name, expected])))
  })

  test('a key that was revoked meanwhile leaves nothing that lasts', async () => {
    const told: Record<string, string> = {}
    for (const name of calls) {
      const { key, secret } = await makeKey(service.database, tenant.accountId, { permissions: ['*'] })
      const client = createClient(service.origin, secret)
      await believe(client)
      await sql('update api_key set revoked_at = now() where id = $1', key.id)
      told[name] = await codeOf(client, callOf(name))
    }
    expect(told).toEqual(Object.fromEntries(calls.map((name) => [name, 'INVALID_API_KEY'])))
  })

  /** The call that the table of the audit knows, or one of a mutation that leaves no entry. */
  function callOf(name: string): string {
    const audited = AUDITED[name]!
    if (typeof audited !== 'string') return audited.call(stock)
    const others: Record<string, string> = {
      updateCampaignContact: `updateCampaignContact(id: "${stock.member}", status: APPROVED) { id }`,
    }
    return others[name]!
  }
})

describe('of operators', () => {
  const calls = named(['agencies:write'])

  test.each([
    ['who was removed', 'delete from operator where id = $1', 'INVALID_SESSION'],
    ['whose sessions were ended', 'delete from sign_in_session where sign_in_id = $1', 'INVALID_SESSION'],
  ])('one %s meanwhile leaves nothing that lasts', async (_who, end, expected) => {
    const agency = await makeAgency(service)
    const subAccount = (await agency.client.create(newClient())).body.data.id
    const by: Record<string, string> = {
      createAgency: 'createAgency(input: { name: "Norte" }) { id }',
      setAgencyPaymentMethod: `setAgencyPaymentMethod(id: "${agency.agencyId}", paymentMethod: "pm_card_visa") { id }`,
      createAgencyToken: `createAgencyToken(input: { agencyId: "${agency.agencyId}", scopes: ["sub_account.create"] }) { secret }`,
      revokeAgencyToken: `revokeAgencyToken(id: "${agency.tokenId}") { id }`,
      startTrial: `startTrial(subAccountId: "${subAccount}", endsAt: "${new Date(Date.now() + 1e8).toISOString()}") { id }`,
      endTrial: `endTrial(subAccountId: "${subAccount}") { id }`,
    }
    const told: Record<string, string> = {}
    for (const name of calls) {
      const operator = await makeOperator(service)
      const { client } = await signIn(service, operator.email)
      await believe(client)
      await sql(end, operator.id)
      told[name] = await codeOf(client, by[name]!)
    }
    expect(told).toEqual(Object.fromEntries(calls.map((name) => [name, expected])))
  })
})

describe('while the right is being ended', () => {
  /** Ends a right in a transaction of its own, calls before that commits, and tells what came of the call. */
  async function callBeforeCommit(end: string, id: string, client: Client, call: string): Promise<string> {
    const { pool } = service.database
    const ending = await pool.connect()
    try {
      await ending.query('begin')
      await ending.query(end, [id])
      const called = codeOf(client, call)
      await untilBehind(service.database, ending)
      await ending.query('commit')
      return await called
    } finally {
      ending.release()
    }
  }

  const KEY = 'createApiKey(input: { name: "Late", permissions: ["*"] }) { secret }'

  test.each([
    ['deactivated', 'update app_user set is_active = false where id = $1', 'INVALID_SESSION'],
    ['made a seller', "update app_user set role = 'seller' where id = $1", 'INSUFFICIENT_PERMISSIONS'],
    ['signed out', 'delete from sign_in_session where sign_in_id = $1', 'INVALID_SESSION'],
  ])('who is about to be %s makes no key', async (_what, end, expected) => {
    const person = await makePerson(service)
    const { client } = await signIn(service, person.email)
    expect(await callBeforeCommit(end, person.id, client, KEY)).toBe(expected)
    const { rows } = await service.database.pool.query('select from api_key where account_id = $1 and name = $2', [
      person.tenant.accountId,
      'Late',
    ])
    expect(rows).toEqual([])
  })

  test('a key that is about to be revoked makes no user', async () => {
    const tenant = await makeTenant(service)
    const user = 'createUser(input: { name: "Late", email: "late@example.com" }) { id }'
    const end = 'update api_key set revoked_at = now() where id = $1'
    expect(await callBeforeCommit(end, tenant.keyId, tenant.client, user)).toBe('INVALID_API_KEY')
  })

  test('admins who change each other, make keys and revoke them all at once never wait for each other in a circle', async () => {
    const tenant = await makeTenant(service)
    const people = await Promise.all(Array.from({ length: 4 }, () => makePerson(service, { tenant })))
    const clients = await Promise.all(people.map(async ({ email }) => (await signIn(service, email)).client))
    const made = await Promise.all(
      clients.map((client) =>
        client.graphql(`mutation { createApiKey(input: { name: "K", permissions: ["tags:read"] }) { key { id } } }`),
      ),
    )
    const keys = made.map((answer) => dataOf(answer).key.id)
    const deadlocks = await Deadlocks.watch(service.database)
    const codes = await Promise.all(
      clients.flatMap((client, i) =>
        people.flatMap(({ id }, j) => [
          codeOf(client, `updateUser(id: "${id}", input: { name: "By ${i}" }) { id }`),
          codeOf(client, `rotateApiKey(id: "${keys[j]}") { secret }`),
          codeOf(client, `updateAccount(input: { name: "By ${i}" }) { id }`),
        ]),
      ),
    )
    expect(codes.filter((code) => code !== 'done' && code !== 'NOT_FOUND')).toEqual([])
    expect(await deadlocks.found()).toEqual(NONE)
  })
})
