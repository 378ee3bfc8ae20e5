import { randomUUID } from 'node:crypto'
import { Tag } from '../../src/domains/reference/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Client, createClient } from '../support/client.js'
import { makeKey, makeTag, makeTenant, type Tenant } from '../support/factories.js'
import { SEARCHED_NAMES, SEARCHES } from '../support/searches.js'

let service: TestApp
// Row security would hide a condition that a statement forgot; it is off unless an operator turns it on.
let unwalled: TestApp
beforeAll(async () => {
  ;[service, unwalled] = await Promise.all([startTestApp(), startTestApp({ rowSecurity: false })])
})
afterAll(() => Promise.all([service.stop(), unwalled.stop()]))

const WALLS: [string, () => TestApp][] = [
  ['with row security', () => service],
  ['without it', () => unwalled],
]

/** A new account with tags of these names. */
const accountWith = (...names: string[]) => accountIn(service, ...names)

async function accountIn(app: TestApp, ...names: string[]): Promise<Tenant> {
  const tenant = await makeTenant(app)
  const em = app.database.fork()
  // Ids in no order: they must not help the sort.
  for (const name of names) em.create(Tag, { id: randomUUID(), accountId: tenant.accountId, name, color: 'red' })
  await em.flush()
  return tenant
}

async function namesOf(client: Client, query = ''): Promise<string[]> {
  const { status, body } = await client.get(`/tags?${query}`)
  expect(status).toBe(200)
  return body.data.map(({ name }: Tag) => name)
}

test('returns each tag with id, name, colour and creation in the envelope of a list', async () => {
  const { accountId, client } = await makeTenant(service)
  const tag = await makeTag(service.database, accountId, { name: 'Höt', color: '#2563eb' })
  const { status, body } = await client.get('/tags')
  expect(status).toBe(200)
  expect(body).toEqual({
    success: true,
    data: [
      {
        id: tag.id,
        name: 'Höt',
        color: '#2563eb',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    ],
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
})

test('of an account without tags is an empty page', async () => {
  const { client } = await makeTenant(service)
  const { status, body } = await client.get('/tags')
  expect(status).toBe(200)
  expect(body.data).toEqual([])
  expect(body.pagination).toMatchObject({ total: 0, total_pages: 0, has_next: false })
})

test('are in the order of their names, without case and accents', async () => {
  const { client } = await accountWith('zebra', 'Éclair', 'Abel', 'ábaco', 'eclipse', 'Ábside', 'Zé', '_x', '10')
  expect(await namesOf(client)).toEqual(['10', '_x', 'ábaco', 'Abel', 'Ábside', 'Éclair', 'eclipse', 'Zé', 'zebra'])
})

test.each(['', '&search=a'])('of equal names are in the order of their ids, page by page%s', async (filter) => {
  const { client } = await accountWith('a', 'á', 'à', 'â', 'ã', 'ä', 'å', 'ā', 'ă', 'ą')
  const ids: string[] = []
  for (const page of [1, 2, 3, 4]) {
    const { body } = await client.get(`/tags?limit=3&page=${page}${filter}`)
    expect(body.pagination).toMatchObject({ page, per_page: 3, total: 10, total_pages: 4, has_next: page < 4 })
    ids.push(...body.data.map(({ id }: Tag) => id))
  }
  expect(ids).toEqual([...new Set(ids)].toSorted())
  expect(ids).toHaveLength(10)
})

test('past the end are none, with true totals', async () => {
  const { client } = await accountWith('a', 'b', 'ab')
  const past = { page: 5, total_pages: 1, has_next: false, has_prev: true, next_cursor: null }
  const everyone = (await client.get('/tags?page=5')).body
  expect(everyone.data).toEqual([])
  expect(everyone.pagination).toMatchObject({ ...past, total: 3 })
  const found = (await client.get('/tags?page=5&search=a')).body
  expect(found.data).toEqual([])
  expect(found.pagination).toMatchObject({ ...past, total: 2 })
})

test.each(SEARCHES)('search for "%s" finds %j', async (search, expected) => {
  const { client } = await accountWith(...SEARCHED_NAMES)
  const { body } = await client.get(`/tags?search=${encodeURIComponent(search)}`)
  expect(body.data.map(({ name }: Tag) => name)).toEqual(expected)
  expect(body.pagination.total).toBe(expected.length)
})

test('an empty search finds all', async () => {
  const { client } = await accountWith('a', 'b')
  expect(await namesOf(client, 'search=')).toEqual(['a', 'b'])
  expect(await namesOf(client, 'search=%20')).toEqual(['a', 'b'])
})

test('outside the bounds of a page takes the nearest one, with a warning; no integer is refused', async () => {
  const { client } = await accountWith('a', 'b')
  const { body } = await client.get('/tags?page=0&limit=1000')
  expect(body.pagination).toMatchObject({ page: 1, per_page: 100 })
  expect(body.warnings.map(({ field }: { field: string }) => field)).toEqual(['page', 'limit'])
  const refused = await client.get('/tags?page=x&limit=1.5')
  expect(refused.status).toBe(400)
  expect(refused.body.error.details.map(({ field }: { field: string }) => field)).toEqual(['page', 'limit'])
})

test('need a key that may read tags', async () => {
  const { accountId } = await makeTenant(service)
  expect((await createClient(service.origin).get('/tags')).status).toBe(401)
  const withPermission = async (permission: string) => {
    const { secret } = await makeKey(service.database, accountId, { permissions: [permission] })
    return createClient(service.origin, secret).get('/tags')
  }
  for (const permission of ['tags:read', 'tags:*', '*']) expect((await withPermission(permission)).status).toBe(200)
  for (const permission of ['contacts:*', 'tags:write']) {
    const { status, body } = await withPermission(permission)
    expect(status).toBe(403)
    expect(body.error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', required_permission: 'tags:read' })
  }
})

test.each(WALLS)('of another account never show, in data, totals or searches, %s', async (_, appOf) => {
  const app = appOf()
  const mine = await accountIn(app, 'Mine', 'Shared')
  const theirs = await accountIn(app, 'Theirs', 'Shared')
  const { body } = await mine.client.get('/tags')
  expect(body.data.map(({ name }: Tag) => name)).toEqual(['Mine', 'Shared'])
  expect(body.pagination.total).toBe(2)
  const hidden = (await mine.client.get('/tags?search=theirs')).body
  expect({ data: hidden.data, total: hidden.pagination.total }).toEqual({ data: [], total: 0 })
  const shared = (await mine.client.get('/tags?search=shared')).body
  expect(shared.pagination.total).toBe(1)
  expect(shared.data[0].id).not.toBe((await theirs.client.get('/tags?search=shared')).body.data[0].id)
  expect(await namesOf(theirs.client)).toEqual(['Shared', 'Theirs'])
})
