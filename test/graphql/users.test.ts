import { randomUUID } from 'node:crypto'
import { RoundRobinMember, RoundRobinRule } from '../../src/domains/pipelines/index.js'
import { permissionsOfRole, type User, UserRole } from '../../src/domains/users/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Answer, type Client, createClient } from '../support/client.js'
import { dumpOf } from '../support/dump.js'
import { makeSector } from '../support/factories/reference.js'
import { makeUser } from '../support/factories/users.js'
import { makeKey, makeTenant as makePlainTenant, type Tenant } from '../support/factories.js'
import { permissionsFor } from '../support/graphql.js'
import { GRANTABLE } from '../support/permissions.js'

let service: TestApp
let unwalled: TestApp
beforeAll(async () => {
  ;[service, unwalled] = await Promise.all([startTestApp(), startTestApp({ rowSecurity: false })])
})
afterAll(() => Promise.all([service.stop(), unwalled.stop()]))

const WALLS: [string, () => TestApp][] = [
  ['with row security', () => service],
  ['without it', () => unwalled],
]

const FIELDS = 'id name email role sectorId isActive createdAt'
const CREATE = `mutation ($input: CreateUserInput!) { done: createUser(input: $input) { ${FIELDS} sector { name } } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateUserInput!) {
  done: updateUser(id: $id, input: $input) { ${FIELDS} sector { name } } }`
const DELETE = 'mutation ($id: ID!) { done: deleteUser(id: $id) { id deleted } }'

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const ID = expect.stringMatching(/^[0-9a-f-]{36}$/)

/** The single field of a call's answer; a call that failed fails the test. */
function dataOf({ body }: Answer) {
  expect(body.errors).toBeUndefined()
  return Object.values(body.data)[0] as Answer['body']
}

function failureOf({ body }: Answer) {
  const { message: _, path: __, ...rest } = body.errors[0]
  return rest.extensions
}

const refused = (...fields: string[]) => ({
  code: 'VALIDATION_ERROR',
  details: fields.map((field) => ({ path: ['input', field], message: expect.any(String) })),
})

const duplicate = (more: object = {}) => ({
  code: 'DUPLICATE_ERROR',
  details: [{ path: ['input', 'email'], message: expect.any(String), ...more }],
})

// A wildcard does not hold what an admin may do, and who does not hold it cannot make or change admins.
const everything: string[] = GRANTABLE
const makeTenant = (app: TestApp) => makePlainTenant(app, { permissions: everything })

const address = () => `${randomUUID()}@example.com`

const create = async (client: Client, input: object) =>
  dataOf(await client.graphql(CREATE, { input: { name: 'Bia', email: address(), ...input } }))
const update = (client: Client, id: string, input: object) => client.graphql(UPDATE, { id, input })

/** What is stored of an account beside its keys. */
async function storedOf({ accountId }: Tenant, { database }: TestApp = service) {
  const { api_key: _, ...rest } = await dumpOf(database, accountId)
  return rest
}

/** The admin that an account begins with. */
async function adminOf({ client }: Tenant): Promise<User> {
  const { items } = dataOf(await client.graphql(`{ users(search: "admin@") { items { ${FIELDS} } } }`))
  return items[0]
}

describe('a user', () => {
  test('is created with what is given, and else as an active seller without a sector', async () => {
    const { accountId, client } = await makeTenant(service)
    const sector = await makeSector(service.database, accountId, { name: 'Field' })
    const email = `Bia.${randomUUID()}@Example.com`
    const full = { name: 'Bia', email, role: 'ADMIN', sectorId: sector.id, isActive: false }
    const shown = { id: ID, ...full, createdAt: TIME, sector: { name: 'Field' } }
    expect(await create(client, { ...full, email: ` ${email}\n` })).toEqual(shown)
    const bare = await create(client, {})
    expect(bare).toMatchObject({ role: 'SELLER', sectorId: null, isActive: true, sector: null })
  })

  test('is changed in the given fields alone', async () => {
    const { accountId, client } = await makeTenant(service)
    const sector = await makeSector(service.database, accountId, { name: 'Field' })
    const before = await create(client, { sectorId: sector.id })
    const change = async (input: object) => dataOf(await update(client, before.id.toUpperCase(), input))
    const renamed = await change({ name: 'Leo', role: 'ADMIN' })
    expect(renamed).toEqual({ ...before, name: 'Leo', role: 'ADMIN' })
    const stored = await dumpOf(service.database, accountId)
    expect(await change({})).toEqual(renamed)
    const { id: _, createdAt: __, sector: ___, ...same } = renamed
    expect(await change(same)).toEqual(renamed)
    expect(await dumpOf(service.database, accountId)).toEqual(stored)
    expect(await change({ sectorId: null })).toEqual({ ...renamed, sectorId: null, sector: null })
    const email = address()
    expect(await change({ email, isActive: false })).toMatchObject({ email, isActive: false })
  })

  test('is deleted once; it is listed no longer, and its row stays', async () => {
    const { accountId, client } = await makeTenant(service)
    const { id } = await create(client, { name: 'Gone' })
    const answers = await Promise.all(Array.from({ length: 6 }, () => client.graphql(DELETE, { id: id.toUpperCase() })))
    const done = answers.filter(({ body }) => !body.errors)
    expect(done.map(dataOf)).toEqual([{ id, deleted: true }])
    expect(answers.filter(({ body }) => body.errors).map(failureOf)).toEqual(Array(5).fill({ code: 'NOT_FOUND' }))
    expect(failureOf(await update(client, id, { name: 'Back' }))).toEqual({ code: 'NOT_FOUND' })
    const { items } = dataOf(await client.graphql('{ users { items { name } } }'))
    expect(items).toEqual([{ name: 'Admin' }])
    const { app_user } = await dumpOf(service.database, accountId)
    expect(app_user).toEqual([expect.stringContaining('Admin'), expect.stringContaining('Gone')])
  })

  test('takes no more turns when it is deleted; the others keep theirs', async () => {
    const tenant = await makeTenant(service)
    const { accountId, client } = tenant
    const em = service.database.fork()
    const rules = [em.create(RoundRobinRule, { accountId })]
    const sector = await makeSector(service.database, accountId)
    rules.push(em.create(RoundRobinRule, { accountId, sectorId: sector.id }))
    const [gone, kept] = [await create(client, {}), await create(client, {})]
    for (const { id: ruleId } of rules) {
      em.create(RoundRobinMember, { accountId, ruleId, userId: gone.id, position: 1 })
      em.create(RoundRobinMember, { accountId, ruleId, userId: kept.id, position: 2 })
    }
    await em.flush()
    dataOf(await client.graphql(DELETE, { id: gone.id }))
    const { round_robin_member } = await dumpOf(service.database, accountId)
    expect(round_robin_member).toHaveLength(2)
    for (const row of round_robin_member!) expect(row).toContain(kept.id)
  })

  test.each([
    ['create', CREATE],
    ['update', UPDATE],
    ['delete', DELETE],
  ])('needs a key that may manage users: %s', async (verb, query) => {
    const tenant = await makeTenant(service)
    const { id } = await create(tenant.client, {})
    const before = await storedOf(tenant)
    const input = { name: 'New', ...(verb === 'create' && { email: address() }) }
    const variables = { ...(verb !== 'create' && { id }), ...(verb !== 'delete' && { input }) }
    const failed = failureOf(await createClient(service.origin).graphql(query, variables))
    expect(failed).toEqual({ code: 'MISSING_API_KEY' })
    const others = { permissions: ['users:read', 'settings:write', 'contacts:*', 'sectors:*'] }
    const { secret } = await makeKey(service.database, tenant.accountId, others)
    const denied = await createClient(service.origin, secret).graphql(query, variables)
    expect(failureOf(denied)).toEqual({ code: 'INSUFFICIENT_PERMISSIONS', requiredPermission: 'users:write' })
    expect(await storedOf(tenant)).toEqual(before)
    const allowed = await makeKey(service.database, tenant.accountId, {
      permissions: [...permissionsOfRole(UserRole.SELLER), ...permissionsFor(query)],
    })
    dataOf(await createClient(service.origin, allowed.secret).graphql(query, variables))
  })

  test.each(WALLS)('of another account, of an unknown id or of none is not found, %s', async (_, appOf) => {
    const app = appOf()
    const [mine, stranger] = [await makeTenant(app), await makeTenant(app)]
    const { id } = await create(mine.client, {})
    const before = await storedOf(mine, app)
    for (const target of [id, randomUUID(), 'nobody', '']) {
      for (const answer of [
        await update(stranger.client, target, { name: 'Stolen' }),
        await update(stranger.client, target, { role: 'SELLER', isActive: false }),
        await stranger.client.graphql(DELETE, { id: target }),
      ]) {
        expect(failureOf(answer)).toEqual({ code: 'NOT_FOUND' })
      }
    }
    expect(await storedOf(mine, app)).toEqual(before)
  })

  test.each<[string, unknown]>([
    ['name', ''],
    ['name', ' '],
    ['name', 'x'.repeat(256)],
    ['name', 'a\u0000b'],
    ['email', ''],
    ['email', 'bia'],
    ['email', 'bia@example'],
    ['email', 'bia ramos@example.com'],
    ['email', `${'x'.repeat(320)}@example.com`],
    ['sectorId', 'sales'],
    ['sectorId', randomUUID()],
  ])('is not created or changed with the %s %j', async (field, value) => {
    const tenant = await makeTenant(service)
    const { id } = await create(tenant.client, {})
    const before = await storedOf(tenant)
    const input = { name: 'New', email: address(), [field]: value }
    for (const answer of [
      await tenant.client.graphql(CREATE, { input }),
      await update(tenant.client, id, input),
      await update(tenant.client, randomUUID(), input), // input counts before existence
    ]) {
      expect(failureOf(answer)).toEqual(refused(field))
    }
    expect(await storedOf(tenant)).toEqual(before)
  })

  test('cannot lose what it must have', async () => {
    const tenant = await makeTenant(service)
    const { id } = await create(tenant.client, {})
    const before = await storedOf(tenant)
    for (const field of ['name', 'email', 'role', 'isActive']) {
      expect(failureOf(await update(tenant.client, id, { [field]: null }))).toEqual(refused(field))
    }
    expect(await storedOf(tenant)).toEqual(before)
  })
})

describe('the list', () => {
  test('finds users by name and email, page by page, and by whether they are active', async () => {
    const { client } = await makeTenant(service)
    for (const name of ['Zé Ramos', 'ana', 'Ána']) await create(client, { name, isActive: name !== 'ana' })
    await create(client, { name: 'Leo', email: `Ramos.${address()}` })
    const names = async (asked: string) => {
      const found = dataOf(await client.graphql(`{ users${asked} { items { name } pagination { total } } }`))
      expect(found.pagination.total).toBeGreaterThanOrEqual(found.items.length)
      return found.items.map(({ name }: User) => name)
    }
    expect(await names('(search: "ramos")')).toEqual(['Leo', 'Zé Ramos'])
    expect(await names('(search: "ramos", page: 2, limit: 1)')).toEqual(['Zé Ramos'])
    expect(await names('(search: "ANA", isActive: true)')).toEqual(['Ána'])
    expect(await names('(isActive: false)')).toEqual(['ana'])
    expect(await names('(isActive: true)')).toEqual(['Admin', 'Ána', 'Leo', 'Zé Ramos'])
  })

  test('names the sectors of all users in one statement, deleted ones among them', async () => {
    const { accountId, client } = await makeTenant(service)
    const live = await makeSector(service.database, accountId, { name: 'Live' })
    const gone = await makeSector(service.database, accountId, { name: 'Gone' })
    const given = [live, gone, live, gone, live]
    for (const [i, { id }] of given.entries()) await create(client, { name: `u${i}`, sectorId: id })
    dataOf(await client.graphql('mutation ($id: ID!) { deleteSector(id: $id) { id } }', { id: gone.id }))
    const query = '{ users(search: "u") { items { name sector { name } } } }'
    const { result, statements } = await service.statementsOf(() => client.graphql(query))
    expect(dataOf(result).items).toEqual(given.map(({ name }, i) => ({ name: `u${i}`, sector: { name } })))
    expect(statements).toHaveLength(2)
  })

  test('needs the permission to read users, and that to read sectors for theirs', async () => {
    const { accountId, client } = await makeTenant(service)
    const sector = await makeSector(service.database, accountId)
    await create(client, { sectorId: sector.id })
    const ask = async (fields: string, ...permissions: string[]) => {
      const { secret } = await makeKey(service.database, accountId, { permissions })
      return createClient(service.origin, secret).graphql(`{ users { items { ${fields} } } }`)
    }
    expect(failureOf(await ask('name', 'sectors:read', 'settings:write'))).toEqual({
      code: 'INSUFFICIENT_PERMISSIONS',
      requiredPermission: 'users:read',
    })
    expect(dataOf(await ask('name sectorId', 'users:read')).items).toHaveLength(2)
    const { body } = await ask('name sector { name }', 'users:read')
    expect(body.errors[0].extensions).toEqual({
      code: 'INSUFFICIENT_PERMISSIONS',
      requiredPermission: 'sectors:read',
    })
    expect(body.data).toBeUndefined()
  })
})

describe('the sector of a user', () => {
  test('must be a live one of the account', async () => {
    for (const app of [service, unwalled]) {
      const [mine, stranger] = [await makeTenant(app), await makeTenant(app)]
      const foreign = await makeSector(app.database, stranger.accountId)
      const gone = await makeSector(app.database, mine.accountId, { deletedAt: new Date() })
      const { id } = await create(mine.client, {})
      const before = await storedOf(mine, app)
      for (const { id: sectorId } of [foreign, gone]) {
        const input = { name: 'New', email: address(), sectorId }
        expect(failureOf(await mine.client.graphql(CREATE, { input }))).toEqual(refused('sectorId'))
        expect(failureOf(await update(mine.client, id, { sectorId }))).toEqual(refused('sectorId'))
      }
      expect(await storedOf(mine, app)).toEqual(before)
    }
  })

  test('that was deleted since may be sent back with what was read', async () => {
    const { accountId, client } = await makeTenant(service)
    const sector = await makeSector(service.database, accountId)
    const { id } = await create(client, { sectorId: sector.id })
    dataOf(await client.graphql('mutation ($id: ID!) { deleteSector(id: $id) { id } }', { id: sector.id }))
    const sent = { name: 'Leo', sectorId: sector.id.toUpperCase() }
    expect(dataOf(await update(client, id, sent))).toMatchObject({ name: 'Leo', sectorId: sector.id })
  })
})

describe('the email of a user', () => {
  test('is taken for the whole account, without regard to case; the one who has it is named', async () => {
    const tenant = await makeTenant(service)
    const { client } = tenant
    const first = await create(client, { email: 'Bia@Own.example' })
    const second = await create(client, {})
    const before = await storedOf(tenant)
    const again = await client.graphql(CREATE, { input: { name: 'x', email: 'bia@own.EXAMPLE' } })
    expect(failureOf(again)).toEqual(duplicate({ existingId: first.id }))
    const changed = await update(client, second.id, { email: 'BIA@own.example' })
    expect(failureOf(changed)).toEqual(duplicate({ existingId: first.id }))
    expect(await storedOf(tenant)).toEqual(before)
    expect(dataOf(await update(client, first.id, { email: 'BIA@OWN.EXAMPLE' })).email).toBe('BIA@OWN.EXAMPLE')
  })

  test.each(WALLS)('is taken for other accounts too, which learn nothing else, %s', async (_, appOf) => {
    const app = appOf()
    const [mine, stranger] = [await makeTenant(app), await makeTenant(app)]
    const email = address()
    const taken = await create(mine.client, { email })
    const other = await create(stranger.client, {})
    const before = await storedOf(stranger, app)
    for (const answer of [
      await stranger.client.graphql(CREATE, { input: { name: 'x', email: email.toUpperCase() } }),
      await update(stranger.client, other.id, { email }),
    ]) {
      expect(failureOf(answer)).toEqual(duplicate())
      expect(answer.text).not.toContain(taken.id)
      expect(answer.text).not.toContain(mine.accountId)
    }
    expect(await storedOf(stranger, app)).toEqual(before)
  })

  test('goes to one of several users who take it at once, in one account or in many', async () => {
    for (let round = 0; round < 3; round++) {
      const tenants = await Promise.all([makeTenant(service), makeTenant(service)])
      const others = await Promise.all(tenants.map(({ client }) => create(client, {})))
      const email = address()
      const attempts = tenants.flatMap(({ client }, i) => [
        { i, done: client.graphql(CREATE, { input: { name: 'x', email } }) },
        { i, done: client.graphql(CREATE, { input: { name: 'y', email: email.toUpperCase() } }) },
        { i, done: update(client, others[i].id, { email }) },
      ])
      const answers = await Promise.all(attempts.map(async ({ i, done }) => ({ i, answer: await done })))
      const winners = answers.filter(({ answer }) => !answer.body.errors)
      expect(winners).toHaveLength(1)
      const existingId = dataOf(winners[0]!.answer).id
      for (const { i, answer } of answers.filter((one) => one !== winners[0])) {
        expect(failureOf(answer)).toEqual(i === winners[0]!.i ? duplicate({ existingId }) : duplicate())
      }
    }
  })

  test('is free again when the user is deleted', async () => {
    const [mine, stranger] = [await makeTenant(service), await makeTenant(service)]
    const email = address()
    const { id } = await create(mine.client, { email })
    dataOf(await mine.client.graphql(DELETE, { id }))
    expect((await create(stranger.client, { email })).email).toBe(email)
  })
})

describe('the last active admin', () => {
  const isIn = ({ accountId }: Tenant) =>
    service.database.pool
      .query(`select from app_user where account_id = $1 and role = 'admin' and is_active and deleted_at is null`, [
        accountId,
      ])
      .then(({ rowCount }) => rowCount)

  test('can be neither demoted nor deactivated nor deleted, but renamed', async () => {
    const tenant = await makeTenant(service)
    const { client, accountId } = tenant
    const { id } = await adminOf(tenant)
    await makeUser(service.database, accountId, { role: UserRole.ADMIN, isActive: false })
    await makeUser(service.database, accountId, { role: UserRole.ADMIN, deletedAt: new Date() })
    await makeUser(service.database, accountId, { role: UserRole.MANAGER })
    await makeUser(service.database, (await makeTenant(service)).accountId, { role: UserRole.ADMIN })
    const before = await storedOf(tenant)
    const refusals: [object, string[]][] = [
      [{ role: 'MANAGER' }, ['role']],
      [{ role: 'SELLER', name: 'x' }, ['role']],
      [{ isActive: false }, ['isActive']],
      [{ role: 'MANAGER', isActive: false }, ['role', 'isActive']],
      [{ role: 'ADMIN', isActive: false }, ['isActive']],
    ]
    for (const [input, fields] of refusals) {
      expect(failureOf(await update(client, id, input))).toEqual(refused(...fields))
    }
    const deletion = await client.graphql(DELETE, { id: id.toUpperCase() })
    expect(failureOf(deletion)).toEqual({ code: 'RECORD_IN_USE' })
    expect(deletion.body.errors[0].message).toMatch(/last active admin/)
    expect(await storedOf(tenant)).toEqual(before)
    const input = { name: 'Boss', email: address(), role: 'ADMIN', isActive: true }
    expect(dataOf(await update(client, id, input))).toMatchObject(input)
  })

  test('is free to go once there is another one', async () => {
    const tenant = await makeTenant(service)
    const admin = await adminOf(tenant)
    const next = await create(tenant.client, { role: 'ADMIN' })
    expect(dataOf(await update(tenant.client, admin.id, { role: 'SELLER' })).role).toBe('SELLER')
    expect(failureOf(await tenant.client.graphql(DELETE, { id: next.id }))).toEqual({ code: 'RECORD_IN_USE' })
    dataOf(await tenant.client.graphql(DELETE, { id: admin.id }))
    expect(await isIn(tenant)).toBe(1)
  })

  test('remains when all admins step down at once, each in another way', async () => {
    for (let round = 0; round < 6; round++) {
      const tenant = await makeTenant(service)
      const { client } = tenant
      const [a, b] = [await adminOf(tenant), await create(client, { role: 'ADMIN' })]
      const ways = [
        (id: string) => update(client, id, { role: 'MANAGER' }),
        (id: string) => update(client, id, { isActive: false }),
        (id: string) => client.graphql(DELETE, { id }),
      ]
      const answers = await Promise.all([ways[round % 3]!(a.id), ways[(round + 1) % 3]!(b.id)])
      const codes = answers.map(({ body }) => body.errors?.[0].extensions.code ?? 'done')
      expect(codes.filter((code) => code === 'done')).toHaveLength(1)
      expect(codes.filter((code) => ['VALIDATION_ERROR', 'RECORD_IN_USE'].includes(code))).toHaveLength(1)
      expect(await isIn(tenant)).toBe(1)
    }
  })
})

describe('what a role or a key does not hold', () => {
  const keyWith = async ({ accountId }: Tenant, permissions: string[]) =>
    createClient(service.origin, (await makeKey(service.database, accountId, { permissions })).secret)

  test.each([
    ['a key that holds just what sellers do', [...permissionsOfRole(UserRole.SELLER), 'users:write'], ['SELLER']],
    ['a key of everything that wildcards grant', ['*'], ['SELLER', 'MANAGER']],
    ['a key of everything', everything, ['SELLER', 'MANAGER', 'ADMIN']],
  ])('is neither given nor touched by it: %s', async (_, permissions, may) => {
    const tenant = await makeTenant(service)
    const client = await keyWith(tenant, permissions)
    for (const role of ['SELLER', 'MANAGER', 'ADMIN']) {
      const mine = await create(tenant.client, { role })
      const seller = await create(tenant.client, {})
      const attempts = () => [
        () => client.graphql(CREATE, { input: { name: 'New', email: address(), role } }),
        () => update(client, seller.id, { role }),
        () => update(client, mine.id, { name: 'Other' }),
        () => update(client, mine.id, { role: 'SELLER' }),
      ]
      if (may.includes(role)) {
        for (const attempt of attempts()) dataOf(await attempt())
        dataOf(await client.graphql(DELETE, { id: mine.id }))
        continue
      }
      const before = await storedOf(tenant)
      for (const attempt of [...attempts(), () => client.graphql(DELETE, { id: mine.id })]) {
        expect(failureOf(await attempt())).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS' })
      }
      expect(await storedOf(tenant)).toEqual(before)
    }
  })
})
