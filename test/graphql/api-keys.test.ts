import { setTimeout as delay } from 'node:timers/promises'
import { Keys } from '../../src/domains/accounts/index.js'
import { UserRole } from '../../src/domains/users/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { makePerson, signIn } from '../support/factories/people.js'
import { makeContact, makeKey, makeTenant, type Tenant } from '../support/factories.js'
import { dataOf, describeGuards, failureOf, faultsOf, type Guarded, TIMESTAMP } from '../support/graphql.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const KEY =
  'id name prefix permissions rateLimit createdByKind createdById createdByName createdAt lastUsedAt expiresAt revokedAt'
const CREATE = `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret key { ${KEY} } } }`
const ROTATE = `mutation ($id: ID!, $input: RotateApiKeyInput! = {}) { rotateApiKey(id: $id, input: $input) { secret key { ${KEY} } } }`
const REVOKE = `mutation ($id: ID!, $evenThisOne: Boolean! = false) { revokeApiKey(id: $id, evenThisOne: $evenThisOne) { ${KEY} } }`
const LIST = `query ($filter: ApiKeyFilter) { apiKeys(filter: $filter) { items { ${KEY} } pagination { total } } }`

const clientOf = (secret: string) => createClient(service.origin, secret)
const statusOf = async (secret: string) => (await clientOf(secret).get('/')).status
const another = async ({ accountId }: Tenant, permissions = ['tags:read']) => ({
  id: (await makeKey(service.database, accountId, { permissions })).key.id,
})
const permission = 'keys:write'
const MUTATIONS: Guarded[] = [
  {
    name: 'createApiKey',
    query: CREATE,
    permission,
    variables: () => ({ input: { name: 'New', permissions: ['keys:write'] } }),
  },
  { name: 'rotateApiKey', query: ROTATE, permission, id: 'id', variables: (tenant) => another(tenant, ['keys:write']) },
  { name: 'revokeApiKey', query: REVOKE, permission, id: 'id', variables: (tenant) => another(tenant, ['keys:write']) },
]
describeGuards(() => service, MUTATIONS)

/** A key of the tenant's account that a key with exactly this made. */
const create = (client: Tenant['client'], input: Record<string, unknown>) =>
  client.graphql(CREATE, { input: { name: 'New', permissions: ['tags:read'], ...input } })

test('a key is shown once, works, and is listed by its beginning with who made it and its last use', async () => {
  const tenant = await makeTenant(service)
  const expiresAt = '2099-01-31T12:00:00.000Z'
  const made = dataOf(await create(tenant.client, { name: ' Website ', rateLimit: 7, expiresAt }))
  expect(made.key).toEqual({
    id: expect.any(String),
    name: 'Website',
    prefix: made.secret.slice(0, 14),
    permissions: ['tags:read'],
    rateLimit: 7,
    createdByKind: 'api_key',
    createdById: tenant.keyId,
    createdByName: expect.stringMatching(/^Key \d+$/),
    createdAt: TIMESTAMP,
    lastUsedAt: null,
    expiresAt,
    revokedAt: null,
  })
  const answer = await clientOf(made.secret).get('/tags')
  expect([answer.status, answer.headers.get('X-RateLimit-Limit')]).toEqual([200, '7'])
  const { items, pagination } = dataOf(await tenant.client.graphql(LIST))
  expect(items[0]).toEqual(made.key)
  expect(pagination.total).toBe(2)
  expect(JSON.stringify(items)).not.toContain(made.secret)
  expect(JSON.stringify(service.logs())).not.toContain(made.secret)
  const mine = dataOf(await tenant.client.graphql(LIST, { filter: { createdById: tenant.keyId } })).items
  expect(mine).toEqual([made.key])
})

test('who makes a key gives no more than it has', async () => {
  const { accountId } = await makeTenant(service)
  const maker = async (permissions: string[]) =>
    clientOf((await makeKey(service.database, accountId, { permissions })).secret)
  const refused = async (client: Tenant['client'], permissions: string[]) =>
    failureOf(await create(client, { permissions })).requiredPermission
  const tags = await maker(['keys:write', 'tags:*', 'agents:run'])
  expect(dataOf(await create(tags, { permissions: ['tags:*', 'tags:read'] })).key.permissions).toHaveLength(2)
  expect(await refused(tags, ['tags:read', 'contacts:read'])).toBe('contacts:read')
  expect(await refused(tags, ['*'])).toBe('*')
  expect(await refused(tags, ['contacts:*'])).toBe('contacts:*')
  expect(await refused(tags, ['agents:run'])).toBe('agents:run')
  const single = await maker(['keys:write', 'tags:read', 'tags:write'])
  expect(await refused(single, ['tags:*'])).toBe('tags:*')
  const all = await maker(['*'])
  expect(dataOf(await create(all, { permissions: ['*'] })).key.permissions).toEqual(['*'])
  expect(await refused(all, ['conversations:write'])).toBe('conversations:write')
  expect(
    faultsOf(await create(all, { permissions: ['tags:read', 'nothing:read', 'agencies:read'] })).length,
  ).toBeGreaterThan(0)
  expect(faultsOf(await create(all, { permissions: [] }))).toEqual([
    'input.permissions: must name at least one permission',
  ])
})

test('an admin, signed in, grants what only admins grant, and a wildcard does not include it', async () => {
  const { email } = await makePerson(service, { role: UserRole.ADMIN, name: 'Bia' })
  const { client } = await signIn(service, email)
  const { key, secret } = dataOf(await create(client, { permissions: ['conversations:write', 'agents:*'] }))
  expect(key).toMatchObject({ createdByKind: 'session', createdByName: 'Bia' })
  const can = dataOf(await clientOf(secret).graphql('{ session { key { permissions } } }'))
  expect(can.key.permissions).toEqual(['conversations:write', 'agents:*'])
  expect(dataOf(await create(client, { permissions: ['*'] })).key.permissions).toEqual(['*'])
})

test('a key that a key made lives no longer and calls no more often', async () => {
  const tenant = await makeTenant(service)
  const soon = new Date(Date.now() + 3_600_000)
  const made = await new Keys(service.database).create({
    accountId: tenant.accountId,
    name: 'Short',
    permissions: ['keys:write', 'tags:read'],
    rateLimit: 500,
    expiresAt: soon,
  })
  const short = clientOf(made.secret)
  const child = dataOf(await create(short, {})).key
  expect([child.expiresAt, child.rateLimit]).toEqual([soon.toISOString(), 500])
  const later = new Date(soon.getTime() + 1).toISOString()
  expect(faultsOf(await create(short, { expiresAt: later, rateLimit: 501 }))).toEqual([
    `input.expiresAt: must be ${soon.toISOString()} at the latest`,
    "input.rateLimit: must be at most 500, as this key's own",
  ])
  const longer = dataOf(await create(tenant.client, {})).key
  const rotated = dataOf(await short.graphql(ROTATE, { id: made.key.id })).key
  expect(rotated.expiresAt).toBe(soon.toISOString())
  expect(failureOf(await short.graphql(ROTATE, { id: longer.id })).code).toBe('INSUFFICIENT_PERMISSIONS')
  expect(faultsOf(await create(tenant.client, { expiresAt: '2020-01-01T00:00:00Z' }))).toEqual([
    'input.expiresAt: must lie in the future',
  ])
})

test('a rotated key goes on for the overlap, and its successor may do the same', async () => {
  const tenant = await makeTenant(service)
  const old = dataOf(await create(tenant.client, { permissions: ['tags:*'], rateLimit: 9 }))
  const next = dataOf(await tenant.client.graphql(ROTATE, { id: old.key.id, input: { overlapSeconds: 3600 } }))
  const { id, prefix, createdAt, ...same } = old.key
  expect(next.key).toMatchObject(same)
  expect(next.secret).not.toBe(old.secret)
  expect([await statusOf(old.secret), await statusOf(next.secret)]).toEqual([200, 200])
  const find = async (wanted: string) =>
    dataOf(await tenant.client.graphql(LIST)).items.find((one: { id: string }) => one.id === wanted)
  const ends = Date.parse((await find(id)).expiresAt) - Date.now()
  expect(ends).toBeGreaterThan(3_500_000)
  expect(ends).toBeLessThan(3_601_000)
  const last = dataOf(await tenant.client.graphql(ROTATE, { id: next.key.id, input: { overlapSeconds: 0 } }))
  expect([await statusOf(next.secret), await statusOf(last.secret)]).toEqual([401, 200])
  expect(failureOf(await tenant.client.graphql(ROTATE, { id: next.key.id })).code).toBe('NOT_FOUND')
  expect(faultsOf(await tenant.client.graphql(ROTATE, { id, input: { overlapSeconds: -1 } }))).toHaveLength(1)
})

test('a key that has expired is refused in every process within a second', async () => {
  const beside = await startTestApp({ databaseUrl: service.databaseUrl })
  try {
    const tenant = await makeTenant(service)
    const { key, secret } = dataOf(await create(tenant.client, { expiresAt: '2099-01-01T00:00:00Z' }))
    const clients = [clientOf(secret), createClient(beside.origin, secret)]
    for (const client of clients) expect((await client.get('/')).status).toBe(200)
    await service.database.pool.query('update api_key set expires_at = now() where id = $1', [key.id])
    await delay(1000)
    for (const client of clients) {
      const { status, body } = await client.get('/')
      expect([status, body.error.code]).toEqual([401, 'INVALID_API_KEY'])
    }
    expect(dataOf(await tenant.client.graphql(LIST, { filter: { isActive: false } })).items).toHaveLength(1)
    expect(dataOf(await tenant.client.graphql(LIST, { filter: { isActive: true } })).items).toHaveLength(1)
  } finally {
    await beside.stop()
  }
})

test('a key is revoked at once, once, by who may do as much, and itself only knowingly', async () => {
  const tenant = await makeTenant(service)
  const { key, secret } = dataOf(await create(tenant.client, {}))
  expect(await statusOf(secret)).toBe(200)
  const revoked = dataOf(await tenant.client.graphql(REVOKE, { id: key.id }))
  expect(revoked.revokedAt).toEqual(TIMESTAMP)
  expect(await statusOf(secret)).toBe(401)
  expect(dataOf(await tenant.client.graphql(REVOKE, { id: key.id })).revokedAt).toBe(revoked.revokedAt)
  const { secret: less } = await makeKey(service.database, tenant.accountId, { permissions: ['keys:write'] })
  expect(failureOf(await clientOf(less).graphql(REVOKE, { id: tenant.keyId })).requiredPermission).toBe('*')
  expect(faultsOf(await tenant.client.graphql(REVOKE, { id: tenant.keyId }))).toEqual([
    'id: is the key of this very call: say `evenThisOne` if that is meant',
  ])
  dataOf(await tenant.client.graphql(REVOKE, { id: tenant.keyId, evenThisOne: true }))
  expect((await tenant.client.get('/')).status).toBe(401)
})

test('an account has a hundred keys in force at most, also when many are made at once', async () => {
  const tenant = await makeTenant(service)
  await service.database.pool.query(
    `insert into api_key (id, account_id, name, prefix, hash, permissions)
     select gen_random_uuid(), $1::uuid, 'Key', 'fl_live_', sha256((n::text || $1::uuid::text)::bytea), '{tags:read}'
     from generate_series(1, 97) n`,
    [tenant.accountId],
  )
  const answers = await Promise.all(Array.from({ length: 5 }, () => create(tenant.client, {})))
  expect(answers.filter(({ body }) => !body.errors)).toHaveLength(2)
  const full = answers.find(({ body }) => body.errors)!
  expect(failureOf(full).code).toBe('LIMIT_REACHED')
})

describe('account settings', () => {
  const UPDATE = 'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { name country currency } }'

  test('take settings:write, and change what is given alone', async () => {
    const tenant = await makeTenant(service)
    const { secret } = await makeKey(service.database, tenant.accountId, { permissions: ['keys:write'] })
    expect(failureOf(await clientOf(secret).graphql(UPDATE, { input: {} })).requiredPermission).toBe('settings:write')
    expect(dataOf(await tenant.client.graphql(UPDATE, { input: { name: ' Aurora ' } }))).toEqual({
      name: 'Aurora',
      country: 'BR',
      currency: 'BRL',
    })
    const input = { country: 'pt', currency: 'eur' }
    expect(dataOf(await tenant.client.graphql(UPDATE, { input }))).toEqual({
      name: 'Aurora',
      country: 'PT',
      currency: 'EUR',
    })
    const wrong = { name: '', country: 'XX', currency: 'XYZ' }
    expect(faultsOf(await tenant.client.graphql(UPDATE, { input: wrong })).length).toBeGreaterThanOrEqual(2)
    expect(faultsOf(await tenant.client.graphql(UPDATE, { input: { country: 'XX' } }))).toHaveLength(1)
  })

  test('another currency and country hold for what is new: nothing that is there is converted', async () => {
    const tenant = await makeTenant(service)
    const { client } = tenant
    const before = (await client.post('/opportunities', { name: 'Ana', email: 'ana@example.com' })).body.data
    const value = 'mutation ($id: ID!) { updateOpportunity(id: $id, input: { value: 250 }) { id } }'
    dataOf(await client.graphql(value, { id: before.id }))
    const contact = await makeContact(service.database, tenant.accountId, { phone: '+5511987654321' })
    const product =
      'mutation { createProduct(input: { name: "Panel", defaultPrice: 10 }) { id currency defaultPrice } }'
    const first = dataOf(await client.graphql(product))
    dataOf(await client.graphql(UPDATE, { input: { currency: 'EUR', country: 'PT' } }))
    const after = (await client.post('/opportunities', { name: 'Bia', email: 'bia@example.com' })).body.data
    const money = 'query ($id: ID!) { opportunity(id: $id) { currency value } }'
    const moneyOf = async ({ id }: { id: string }) => dataOf(await client.graphql(money, { id }))
    expect(await moneyOf(before)).toEqual({ currency: 'BRL', value: 250 })
    expect((await moneyOf(after)).currency).toBe('EUR')
    const second = dataOf(await client.graphql(product.replace('Panel', 'Cable')))
    expect([first.currency, second.currency]).toEqual(['BRL', 'EUR'])
    expect((await client.get(`/contacts/${contact.id}`)).body.data.phone).toBe('+5511987654321')
    const local = await client.post('/contacts', { name: 'Rui', phone: '912345678' })
    expect(local.body.data.phone).toBe('+351912345678')
  })
})
