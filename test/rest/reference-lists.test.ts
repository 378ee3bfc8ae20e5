import { randomUUID } from 'node:crypto'
import type { Database } from '../../src/database/index.js'
import { UserRole } from '../../src/domains/users/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Client, createClient } from '../support/client.js'
import { makeDiscardReason, makeProduct, makeSector } from '../support/factories/reference.js'
import { makeUser } from '../support/factories/users.js'
import { makeKey, makeTenant, type Tenant } from '../support/factories.js'
import { SEARCHED_NAMES, SEARCHES } from '../support/searches.js'

let service: TestApp
// Row security would hide a condition that a statement forgot; it is off unless an operator turns it on.
let unwalled: TestApp
beforeAll(async () => {
  ;[service, unwalled] = await Promise.all([startTestApp(), startTestApp({ rowSecurity: false })])
})
afterAll(() => Promise.all([service.stop(), unwalled.stop()]))

interface Fields {
  id?: string
  name: string
  isActive?: boolean
  deletedAt?: Date
}

type Make = (database: Database, accountId: string, fields: Fields) => Promise<{ id: string }>

interface Kind {
  path: string
  permission: string
  make: Make
}

let counter = 0
/** A user whose email no search of these tests finds. */
const makeQuietUser: Make = (database, accountId, fields) =>
  makeUser(database, accountId, { ...fields, email: `${++counter}@u.io` })

const KINDS: Kind[] = [
  { path: 'sectors', permission: 'sectors:read', make: makeSector },
  { path: 'discard-reasons', permission: 'discard_reasons:read', make: makeDiscardReason },
  { path: 'products', permission: 'products:read', make: makeProduct },
  { path: 'users', permission: 'users:read', make: makeQuietUser },
]

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** A new account without the owner that each account begins with, so that every list begins empty. */
async function emptyAccount(app: TestApp = service): Promise<Tenant> {
  const tenant = await makeTenant(app)
  await app.database.pool.query('delete from app_user where account_id = $1', [tenant.accountId])
  return tenant
}

/** A new account with records of these names, whose ids are in no order: they must not help the sort. */
async function accountWith({ make }: Kind, names: string[], app: TestApp = service): Promise<Tenant> {
  const tenant = await emptyAccount(app)
  for (const name of names) await make(app.database, tenant.accountId, { name, id: randomUUID() })
  return tenant
}

async function namesOf(client: Client, { path }: Kind, query = ''): Promise<string[]> {
  const { status, body } = await client.get(`/${path}?${query}`)
  expect({ status, total: body.pagination?.total }).toEqual({ status: 200, total: body.data?.length })
  return body.data.map(({ name }: Fields) => name)
}

describe('the answer', () => {
  const envelope = (record: object) => ({
    success: true,
    data: [record],
    pagination: {
      page: 1,
      per_page: 50,
      total: 1,
      total_pages: 1,
      has_next: false,
      has_prev: false,
      next_cursor: null,
    },
  })

  test('has every field of a sector', async () => {
    const { accountId, client } = await emptyAccount()
    const fields = { name: 'Élan', description: 'Sells.', color: '#2563eb' }
    const { id } = await makeSector(service.database, accountId, { ...fields, isActive: false })
    expect((await client.get('/sectors')).body).toEqual(
      envelope({ id, ...fields, is_active: false, created_at: TIME, updated_at: TIME }),
    )
  })

  test('has every field of a discard reason', async () => {
    const { accountId, client } = await emptyAccount()
    const fields = { name: 'Budget', description: 'No money.' }
    const { id } = await makeDiscardReason(service.database, accountId, { ...fields, displayOrder: -3 })
    expect((await client.get('/discard-reasons')).body).toEqual(
      envelope({ id, ...fields, is_active: true, display_order: -3, created_at: TIME }),
    )
  })

  test('has every field of a product, with a price that is a number to the cent', async () => {
    const { accountId, client } = await emptyAccount()
    const fields = { name: 'Kit', description: 'Panels.', currency: 'EUR' }
    const price = { defaultPrice: 999_999_999_999.99, timeUnit: 'month' }
    const { id } = await makeProduct(service.database, accountId, { ...fields, ...price })
    const { body, text } = await client.get('/products')
    expect(body).toEqual(
      envelope({
        id,
        ...fields,
        default_price: 999_999_999_999.99,
        time_unit: 'month',
        is_active: true,
        created_at: TIME,
        updated_at: TIME,
      }),
    )
    expect(text).toContain('"default_price":999999999999.99')
  })

  test('has every field of a user, with the role in lower case', async () => {
    const { accountId, client } = await emptyAccount()
    const sector = await makeSector(service.database, accountId)
    const fields = { name: 'Bia Ramos', email: `Bia@${accountId}.example` }
    const user = { ...fields, role: UserRole.ADMIN, sectorId: sector.id, isActive: false }
    const { id } = await makeUser(service.database, accountId, user)
    expect((await client.get('/users')).body).toEqual(
      envelope({ id, ...fields, role: 'admin', sector_id: sector.id, is_active: false, created_at: TIME }),
    )
  })

  test('has null for what is empty', async () => {
    const { accountId, client } = await emptyAccount()
    for (const { make } of KINDS) await make(service.database, accountId, { name: 'Bare' })
    const only = async (path: string) => (await client.get(`/${path}`)).body.data[0]
    expect(await only('sectors')).toMatchObject({ description: null, color: null, is_active: true })
    expect(await only('discard-reasons')).toMatchObject({ description: null, is_active: true, display_order: 0 })
    expect(await only('products')).toMatchObject({ description: null, default_price: 0, time_unit: null })
    expect(await only('users')).toMatchObject({ role: 'seller', sector_id: null, is_active: true })
  })
})

describe.each(KINDS.map((kind) => [kind.path, kind] as const))('%s', (_, kind) => {
  const { path, permission, make } = kind

  test('of an account that has none are an empty page', async () => {
    const { client } = await emptyAccount()
    const { status, body } = await client.get(`/${path}`)
    expect({ status, data: body.data }).toEqual({ status: 200, data: [] })
    expect(body.pagination).toMatchObject({ total: 0, total_pages: 0, has_next: false })
  })

  test('are in the order of their names, without case and accents', async () => {
    const { client } = await accountWith(kind, ['zebra', 'Éclair', 'Abel', 'ábaco', 'eclipse', 'Ábside', '_x', '10'])
    const order = ['10', '_x', 'ábaco', 'Abel', 'Ábside', 'Éclair', 'eclipse', 'zebra']
    expect(await namesOf(client, kind)).toEqual(order)
  })

  test.each(['', '&search=a'])('of equal names are in the order of their ids, page by page%s', async (filter) => {
    const letters = ['a', 'á', 'à', 'â', 'ã', 'ä']
    const names = letters.flatMap((first) => letters.map((second) => first + second)).slice(0, 30)
    const { client } = await accountWith(kind, names)
    const ids: string[] = []
    for (const page of [1, 2, 3, 4, 5]) {
      const { body } = await client.get(`/${path}?limit=7&page=${page}${filter}`)
      expect(body.pagination).toEqual({
        page,
        per_page: 7,
        total: 30,
        total_pages: 5,
        has_next: page < 5,
        has_prev: page > 1,
        next_cursor: page < 5 ? expect.any(String) : null,
      })
      ids.push(...body.data.map(({ id }: { id: string }) => id))
    }
    expect(ids).toEqual([...new Set(ids)].toSorted())
    expect(ids).toHaveLength(30)
  })

  test('past the end are none, with true totals', async () => {
    const { client } = await accountWith(kind, ['a', 'b', 'ab'])
    for (const [filter, total] of [
      ['', 3],
      ['&search=a', 2],
    ] as const) {
      const { status, body } = await client.get(`/${path}?page=5${filter}`)
      expect({ status, data: body.data }).toEqual({ status: 200, data: [] })
      expect(body.pagination).toMatchObject({
        page: 5,
        total,
        total_pages: 1,
        has_next: false,
        has_prev: true,
        next_cursor: null,
      })
    }
  })

  test.each(SEARCHES)('searched for "%s" are %j', async (search, expected) => {
    const { client } = await accountWith(kind, SEARCHED_NAMES)
    expect(await namesOf(client, kind, `search=${encodeURIComponent(search)}`)).toEqual(expected)
  })

  test('that were deleted are not listed, found or counted; those out of use are', async () => {
    const { accountId, client } = await accountWith(kind, ['Here'])
    await make(service.database, accountId, { name: 'Gone', deletedAt: new Date() })
    await make(service.database, accountId, { name: 'Idle', isActive: false })
    expect(await namesOf(client, kind)).toEqual(['Here', 'Idle'])
    expect(await namesOf(client, kind, 'search=gone')).toEqual([])
    expect((await client.get(`/${path}?page=2&limit=1`)).body.data.map(({ name }: Fields) => name)).toEqual(['Idle'])
    expect((await client.get(`/${path}?page=9`)).body.pagination.total).toBe(2)
  })

  test('outside the bounds of a page take the nearest one, with a warning; no integer is refused', async () => {
    const { client } = await accountWith(kind, ['a', 'b'])
    const { body } = await client.get(`/${path}?page=0&limit=1000`)
    expect(body.pagination).toMatchObject({ page: 1, per_page: 100, total: 2 })
    expect(body.warnings.map(({ field }: { field: string }) => field)).toEqual(['page', 'limit'])
    const refused = await client.get(`/${path}?page=x&limit=1.5`)
    expect(refused.status).toBe(400)
    expect(refused.body.error.details.map(({ field }: { field: string }) => field)).toEqual(['page', 'limit'])
  })

  test('need a key that may read them', async () => {
    const { accountId } = await makeTenant(service)
    expect((await createClient(service.origin).get(`/${path}`)).status).toBe(401)
    const withPermission = async (granted: string) => {
      const { secret } = await makeKey(service.database, accountId, { permissions: [granted] })
      return createClient(service.origin, secret).get(`/${path}`)
    }
    const resource = permission.replace(':read', '')
    for (const granted of [permission, `${resource}:*`, '*']) expect((await withPermission(granted)).status).toBe(200)
    for (const granted of ['contacts:*', 'settings:write']) {
      const { status, body } = await withPermission(granted)
      expect(status).toBe(403)
      expect(body.error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', required_permission: permission })
    }
  })

  test.each<[string, () => TestApp]>([
    ['with row security', () => service],
    ['without it', () => unwalled],
  ])('of another account never show, in data, totals or searches, %s', async (_, appOf) => {
    const app = appOf()
    const mine = await accountWith(kind, ['Mine', 'Shared'], app)
    const theirs = await accountWith(kind, ['Theirs', 'Shared'], app)
    expect(await namesOf(mine.client, kind)).toEqual(['Mine', 'Shared'])
    expect(await namesOf(mine.client, kind, 'search=theirs')).toEqual([])
    expect(await namesOf(mine.client, kind, 'search=shared')).toEqual(['Shared'])
    expect((await mine.client.get(`/${path}?page=7`)).body.pagination.total).toBe(2)
    expect(await namesOf(theirs.client, kind)).toEqual(['Shared', 'Theirs'])
  })

  test.each([
    ['', 1],
    ['page=2&limit=1', 1],
    ['search=a', 1],
    ['search=a&page=2&limit=1', 1],
    ['page=9', 2],
  ])('are read in few statements: "%s" in %i', async (query, count) => {
    const { client } = await accountWith(kind, ['a', 'ab'])
    const { result, statements } = await service.statementsOf(() => client.get(`/${path}?${query}`))
    expect(result.status).toBe(200)
    expect(statements).toHaveLength(count)
  })
})

test('discard reasons are in their display order, then by name, then by id', async () => {
  const { accountId, client } = await emptyAccount()
  const reasons: [string, number][] = [
    ['zeta', -1],
    ['beta', 2],
    ['Álpha', 2],
    ['alpha', 2],
    ['first', -5],
    ['last', 2_147_483_647],
  ]
  const ids = new Map<string, string>()
  for (const [name, displayOrder] of reasons) {
    const id = randomUUID()
    await makeDiscardReason(service.database, accountId, { id, name, displayOrder })
    ids.set(name, id)
  }
  const equal = ['Álpha', 'alpha'].sort((a, b) => (ids.get(a)! < ids.get(b)! ? -1 : 1))
  const expected = ['first', 'zeta', ...equal, 'beta', 'last']
  const found: string[] = []
  for (const page of [1, 2, 3]) {
    const { body } = await client.get(`/discard-reasons?limit=2&page=${page}`)
    found.push(...body.data.map(({ name }: Fields) => name))
  }
  expect(found).toEqual(expected)
  const searched = (await client.get('/discard-reasons?search=a')).body.data.map(({ name }: Fields) => name)
  expect(searched).toEqual(expected.filter((name) => name !== 'first'))
})

test('users are found by their email too', async () => {
  const { accountId, client } = await emptyAccount()
  const emailed = (name: string, local: string) =>
    makeUser(service.database, accountId, { name, email: `${local}@${accountId}.example` })
  await emailed('Bia', 'Ramos.B')
  await emailed('Leo', 'leo')
  await emailed('Ramos', 'other')
  const find = async (search: string) => {
    const { body } = await client.get(`/users?search=${encodeURIComponent(search)}`)
    return body.data.map(({ name }: Fields) => name)
  }
  expect(await find('ramos')).toEqual(['Bia', 'Ramos'])
  expect(await find('RAMOS.b@')).toEqual(['Bia'])
  expect(await find('leo@')).toEqual(['Leo'])
  expect(await find('bia ramos')).toEqual([]) // a term does not match across two fields
})
