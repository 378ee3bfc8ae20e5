import { randomUUID } from 'node:crypto'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Answer, type Client, createClient } from '../support/client.js'
import { dumpOf } from '../support/dump.js'
import { makeContact, makeKey, makeTag, makeTenant, type Tenant } from '../support/factories.js'
import { permissionsFor } from '../support/graphql.js'

let service: TestApp
let unwalled: TestApp
beforeAll(async () => {
  ;[service, unwalled] = await Promise.all([startTestApp(), startTestApp({ rowSecurity: false })])
})
afterAll(() => Promise.all([service.stop(), unwalled.stop()]))

type Input = Record<string, unknown>

interface Kind {
  /** The name of the type. */
  type: string
  list: string
  table: string
  fields: string
  createPermission: string
  /** An input with everything in it, and what a record without anything optional shows. */
  full: Input & { name: string }
  defaults: Input
  /** What can be emptied, and what cannot. */
  optional: string[]
  mandatory: string[]
  stamped: boolean
  uniqueName: boolean
  keepsDeleted: boolean
  /** Faulty inputs beside the name. */
  bad: [field: string, value: unknown][]
}

const NOT_COLORS = ['red', '#12', '#1234', '#12345g', '2563eb', '#2563eb;', 'rgb(1,2,3)']
const COLORS: [string, unknown][] = NOT_COLORS.map((value) => ['color', value])
const LONG: [string, unknown] = ['description', 'x'.repeat(20_001)]

const KINDS: Kind[] = [
  {
    type: 'Tag',
    list: 'tags',
    table: 'tag',
    fields: 'id name color createdAt',
    createPermission: 'tags:write',
    full: { name: 'Hot', color: '#DC2626' },
    defaults: { color: '#64748b' },
    optional: [],
    mandatory: ['color'],
    stamped: false,
    uniqueName: true,
    keepsDeleted: false,
    bad: COLORS,
  },
  {
    type: 'Sector',
    list: 'sectors',
    table: 'sector',
    fields: 'id name description color isActive createdAt updatedAt',
    createPermission: 'settings:write',
    full: { name: 'Field', description: 'Sells.\nVisits.', color: '#abc', isActive: false },
    defaults: { description: null, color: null, isActive: true },
    optional: ['description', 'color'],
    mandatory: ['isActive'],
    stamped: true,
    uniqueName: true,
    keepsDeleted: true,
    bad: [...COLORS, LONG],
  },
  {
    type: 'DiscardReason',
    list: 'discardReasons',
    table: 'discard_reason',
    fields: 'id name description isActive displayOrder createdAt',
    createPermission: 'settings:write',
    full: { name: 'Budget', description: 'No money.', isActive: false, displayOrder: 7 },
    defaults: { description: null, isActive: true, displayOrder: 0 },
    optional: ['description'],
    mandatory: ['isActive', 'displayOrder'],
    stamped: false,
    uniqueName: true,
    keepsDeleted: true,
    bad: [LONG],
  },
  {
    type: 'Product',
    list: 'products',
    table: 'product',
    fields: 'id name description defaultPrice currency timeUnit isActive createdAt updatedAt',
    createPermission: 'settings:write',
    full: {
      name: 'Kit',
      description: 'Panels.',
      defaultPrice: 999_999_999_999.99,
      currency: 'USD',
      timeUnit: 'month',
      isActive: false,
    },
    defaults: { description: null, defaultPrice: 0, currency: 'BRL', timeUnit: null, isActive: true },
    optional: ['description', 'timeUnit'],
    mandatory: ['defaultPrice', 'currency', 'isActive'],
    stamped: true,
    uniqueName: false,
    keepsDeleted: true,
    bad: [
      LONG,
      ['defaultPrice', -0.01],
      ['defaultPrice', 1e12],
      ['defaultPrice', 0.001],
      ['defaultPrice', 10.555],
      ['currency', 'XX'],
      ['currency', 'R$'],
      ['currency', 'QQQ'],
      ['currency', 'real'],
      ['timeUnit', 'x'.repeat(33)],
    ],
  },
]

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const ID = expect.stringMatching(/^[0-9a-f-]{36}$/)

const createOf = ({ type, fields }: Kind) =>
  `mutation ($input: Create${type}Input!) { done: create${type}(input: $input) { ${fields} } }`
const updateOf = ({ type, fields }: Kind) =>
  `mutation ($id: ID!, $input: Update${type}Input!) { done: update${type}(id: $id, input: $input) { ${fields} } }`
const deleteOf = ({ type }: Kind) => `mutation ($id: ID!) { done: delete${type}(id: $id) { id deleted } }`

/** The single field of a call's answer; a call that failed fails the test. */
function dataOf({ body }: Answer) {
  expect(body.errors).toBeUndefined()
  return Object.values(body.data)[0] as Answer['body']
}

function failureOf({ body }: Answer) {
  const { message: _, path: __, ...rest } = body.errors[0]
  return rest.extensions
}

const refused = (field: string) => ({
  code: 'VALIDATION_ERROR',
  details: [{ path: ['input', field], message: expect.any(String) }],
})

const create = async (client: Client, kind: Kind, input: Input) =>
  dataOf(await client.graphql(createOf(kind), { input }))

async function listed(client: Client, { list, fields }: Kind, asked = '') {
  return dataOf(await client.graphql(`{ ${list}${asked} { items { ${fields} } pagination { total page perPage } } }`))
}

/** What is stored of an account beside its keys. */
async function storedOf({ accountId }: Tenant) {
  const { api_key: _, ...rest } = await dumpOf(service.database, accountId)
  return rest
}

describe.each(KINDS.map((kind) => [kind.type, kind] as const))('%s', (_, kind) => {
  const { full, defaults, type } = kind
  const stamps = kind.stamped ? { createdAt: TIME, updatedAt: TIME } : { createdAt: TIME }

  test('is created with what is given, and with defaults for the rest', async () => {
    const { client } = await makeTenant(service)
    const rich = await create(client, kind, full)
    expect(rich).toEqual({ id: ID, ...full, ...stamps })
    const bare = await create(client, kind, { name: '  Bare \t' })
    expect(bare).toEqual({ id: ID, name: 'Bare', ...defaults, ...stamps })
    const { items } = await listed(client, kind)
    expect(items.toSorted((a: Input, b: Input) => (a.id === rich.id ? -1 : b.id === rich.id ? 1 : 0))).toEqual([
      rich,
      bare,
    ])
  })

  test('is changed in the given fields alone; a change to what it is already leaves no trace', async () => {
    const { accountId, client } = await makeTenant(service)
    const before = await create(client, kind, full)
    const update = async (input: Input) => dataOf(await client.graphql(updateOf(kind), { id: before.id, input }))
    const renamed = await update({ name: 'Other' })
    expect(renamed).toEqual({ ...before, name: 'Other', ...(kind.stamped && { updatedAt: TIME }) })
    if (kind.stamped) expect(Date.parse(renamed.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt))
    const stored = await dumpOf(service.database, accountId)
    expect(await update({})).toEqual(renamed)
    expect(await update({ ...full, name: 'Other' })).toEqual(renamed)
    expect(await dumpOf(service.database, accountId)).toEqual(stored)
    for (const name of kind.optional) {
      expect((await update({ [name]: null }))[name]).toBeNull()
      await update({ [name]: full[name] })
      expect((await update({ [name]: ' ' }))[name]).toBeNull()
    }
    expect(dataOf(await client.graphql(updateOf(kind), { id: before.id.toUpperCase(), input: {} })).id).toBe(before.id)
  })

  test('is read by its id', async () => {
    const { client } = await makeTenant(service)
    const created = await create(client, kind, full)
    const one = (by: Client, id: string) =>
      by.graphql(`query ($id: ID!) { ${type[0]!.toLowerCase()}${type.slice(1)}(id: $id) { ${kind.fields} } }`, { id })
    expect(dataOf(await one(client, created.id))).toEqual(created)
    const { client: stranger } = await makeTenant(service)
    for (const [by, id] of [
      [stranger, created.id],
      [client, randomUUID()],
      [client, 'none'],
    ] as const) {
      expect(failureOf(await one(by, id))).toEqual({ code: 'NOT_FOUND' })
    }
    dataOf(await client.graphql(deleteOf(kind), { id: created.id }))
    expect(failureOf(await one(client, created.id))).toEqual({ code: 'NOT_FOUND' })
  })

  test('is deleted once, and not shown, changed or named again', async () => {
    const { accountId, client } = await makeTenant(service)
    const { id } = await create(client, kind, full)
    const kept = await create(client, kind, { name: 'Kept' })
    expect(dataOf(await client.graphql(deleteOf(kind), { id: id.toUpperCase() }))).toEqual({ id, deleted: true })
    expect((await listed(client, kind)).items).toEqual([kept])
    for (const answer of [
      await client.graphql(deleteOf(kind), { id }),
      await client.graphql(updateOf(kind), { id, input: { name: 'Back' } }),
    ]) {
      expect(failureOf(answer)).toEqual({ code: 'NOT_FOUND' })
    }
    const stored = (await dumpOf(service.database, accountId))[kind.table]!
    expect(stored).toHaveLength(kind.keepsDeleted ? 2 : 1)
    expect((await create(client, kind, full)).id).not.toBe(id) // the name is free again
  })

  test('is deleted once, however many try', async () => {
    const { client } = await makeTenant(service)
    const { id } = await create(client, kind, full)
    const answers = await Promise.all(Array.from({ length: 6 }, () => client.graphql(deleteOf(kind), { id })))
    const outcomes = answers.map(({ body }) => body.errors?.[0].extensions.code ?? 'done')
    expect(outcomes.toSorted()).toEqual([...Array(5).fill('NOT_FOUND'), 'done'])
  })

  test.each(['create', 'update', 'delete'] as const)('%s needs a key with the permission', async (verb) => {
    const tenant = await makeTenant(service)
    const { id } = await create(tenant.client, kind, full)
    const before = await storedOf(tenant)
    const query = { create: createOf, update: updateOf, delete: deleteOf }[verb](kind)
    const variables = { ...(verb !== 'create' && { id }), ...(verb !== 'delete' && { input: { name: 'New' } }) }
    const failed = failureOf(await createClient(service.origin).graphql(query, variables))
    expect(failed).toEqual({ code: 'MISSING_API_KEY' })
    const needed = verb === 'create' ? kind.createPermission : 'settings:write'
    const others = ['contacts:*', 'sectors:*', 'discard_reasons:*', 'products:*', 'tags:read']
    if (needed === 'settings:write') others.push('tags:*')
    else others.push('settings:write')
    const { secret } = await makeKey(service.database, tenant.accountId, { permissions: others })
    const denied = await createClient(service.origin, secret).graphql(query, variables)
    expect(failureOf(denied)).toEqual({ code: 'INSUFFICIENT_PERMISSIONS', requiredPermission: needed })
    expect(await storedOf(tenant)).toEqual(before)
    const permissions = permissionsFor(query)
    const { secret: allowed } = await makeKey(service.database, tenant.accountId, { permissions })
    dataOf(await createClient(service.origin, allowed).graphql(query, variables))
  })

  test('of another account, of an unknown id or of none is not found', async () => {
    for (const app of [service, unwalled]) {
      const [mine, stranger] = [await makeTenant(app), await makeTenant(app)]
      const { id } = await create(mine.client, kind, full)
      const before = await dumpOf(app.database, mine.accountId)
      for (const target of [id, randomUUID(), 'nothing', '']) {
        for (const answer of [
          await stranger.client.graphql(updateOf(kind), { id: target, input: { name: 'Stolen' } }),
          await stranger.client.graphql(deleteOf(kind), { id: target }),
        ]) {
          expect(failureOf(answer)).toEqual({ code: 'NOT_FOUND' })
        }
      }
      expect(await dumpOf(app.database, mine.accountId)).toEqual(before)
      expect((await listed(stranger.client, kind)).items).toEqual([])
    }
  })

  const faults: [string, unknown][] = [
    ['name', ''],
    ['name', ' \n '],
    ['name', 'x'.repeat(256)],
    ['name', 'a\u0000b'],
    ['name', 'a\ud800'],
    ...kind.bad,
  ]
  test.each(faults)('is not created or changed with the %s %j', async (field, value) => {
    const tenant = await makeTenant(service)
    const { id } = await create(tenant.client, kind, full)
    const before = await storedOf(tenant)
    const input = { name: 'New', [field]: value }
    for (const answer of [
      await tenant.client.graphql(createOf(kind), { input }),
      await tenant.client.graphql(updateOf(kind), { id, input }),
      await tenant.client.graphql(updateOf(kind), { id: randomUUID(), input }), // input counts before existence
    ]) {
      expect(failureOf(answer)).toEqual(refused(field))
    }
    expect(await storedOf(tenant)).toEqual(before)
  })

  test('cannot lose what it must have', async () => {
    const tenant = await makeTenant(service)
    const { id } = await create(tenant.client, kind, full)
    const before = await storedOf(tenant)
    for (const name of ['name', ...kind.mandatory]) {
      const empty = typeof full[name] === 'string' ? [null, ''] : [null]
      for (const value of empty) {
        const answer = await tenant.client.graphql(updateOf(kind), { id, input: { [name]: value } })
        expect(failureOf(answer)).toEqual(refused(name))
      }
    }
    expect(await storedOf(tenant)).toEqual(before)
  })

  test('is listed by page and part of the name', async () => {
    const { client } = await makeTenant(service)
    for (const name of ['Ção', 'acao', 'b']) await create(client, kind, { name })
    const page = await listed(client, kind, '(search: "CAO", page: 2, limit: 1)')
    expect(page.pagination).toEqual({ total: 2, page: 2, perPage: 1 })
    expect(page.items.map(({ name }: Input) => name)).toEqual(['Ção'])
    expect((await listed(client, kind, '(page: -1, limit: 1000)')).pagination).toEqual({
      total: 3,
      page: 1,
      perPage: 100,
    })
  })

  if (kind.uniqueName) {
    const duplicate = (existingId: string) => ({
      code: 'DUPLICATE_ERROR',
      details: [{ path: ['input', 'name'], message: expect.any(String), existingId }],
    })

    test('has a name of its own in the account, without regard to case', async () => {
      const tenant = await makeTenant(service)
      const { client } = tenant
      const first = await create(client, kind, { name: 'Ação' })
      const second = await create(client, kind, { name: 'Second' })
      const before = await storedOf(tenant)
      const again = await client.graphql(createOf(kind), { input: { name: ' AÇÃO ' } })
      expect(failureOf(again)).toEqual(duplicate(first.id))
      const renamed = await client.graphql(updateOf(kind), { id: second.id, input: { name: 'ação' } })
      expect(failureOf(renamed)).toEqual(duplicate(first.id))
      expect(await storedOf(tenant)).toEqual(before)

      const own = await client.graphql(updateOf(kind), { id: first.id, input: { name: 'AÇÃO' } })
      expect(dataOf(own).name).toBe('AÇÃO')
      const elsewhere = await makeTenant(service)
      expect(await create(elsewhere.client, kind, { name: 'Ação' })).toMatchObject({ name: 'Ação' })
    })

    test('gets a name that several take at once only once', async () => {
      const { client } = await makeTenant(service)
      const others = await Promise.all(['a', 'b', 'c', 'd'].map((name) => create(client, kind, { name })))
      const answers = await Promise.all([
        ...['Hot', 'hot', 'HOT', 'hOT'].map((name) => client.graphql(createOf(kind), { input: { name } })),
        ...others.map(({ id }) => client.graphql(updateOf(kind), { id, input: { name: 'Hot' } })),
      ])
      const winners = answers.filter(({ body }) => !body.errors).map(dataOf)
      expect(winners).toHaveLength(1)
      const losers = answers.filter(({ body }) => body.errors).map(failureOf)
      expect(losers).toEqual(Array(7).fill(duplicate(winners[0].id)))
    })
  } else {
    test('may have the name of another one', async () => {
      const { client } = await makeTenant(service)
      const [one, two] = [await create(client, kind, full), await create(client, kind, full)]
      expect(one.id).not.toBe(two.id)
    })
  }

  if ('isActive' in defaults) {
    test('can be listed by whether it is in use', async () => {
      const { client } = await makeTenant(service)
      for (const name of ['a', 'ab']) await create(client, kind, { name })
      for (const name of ['aé', 'b']) await create(client, kind, { name, isActive: false })
      const names = async (asked: string) =>
        (await listed(client, kind, asked)).items.map(({ name }: Input) => name) as string[]
      expect(await names('(isActive: true)')).toEqual(['a', 'ab'])
      expect(await names('(isActive: false)')).toEqual(['aé', 'b'])
      expect(await names('(isActive: false, search: "AE")')).toEqual(['aé'])
      expect(await names('(isActive: true, search: "AE")')).toEqual([])
      expect(await names('(isActive: null)')).toEqual(['a', 'ab', 'aé', 'b'])
      const page = await listed(client, kind, '(isActive: true, page: 2, limit: 1)')
      expect(page).toMatchObject({ items: [{ name: 'ab' }], pagination: { total: 2 } })
    })
  }

  test(`the name of a deleted ${type} is no obstacle to renaming another`, async () => {
    const { client } = await makeTenant(service)
    const gone = await create(client, kind, { name: 'Gone' })
    const other = await create(client, kind, { name: 'Other' })
    dataOf(await client.graphql(deleteOf(kind), { id: gone.id }))
    const renamed = await client.graphql(updateOf(kind), { id: other.id, input: { name: 'gone' } })
    expect(dataOf(renamed).name).toBe('gone')
  })
})

describe('a product', () => {
  const PRODUCT = KINDS.find(({ type }) => type === 'Product')!

  test('is priced in the currency of the account unless said otherwise', async () => {
    const { accountId, client } = await makeTenant(service)
    await service.database.pool.query("update account set currency = 'EUR' where id = $1", [accountId])
    expect(await create(client, PRODUCT, { name: 'a' })).toMatchObject({ currency: 'EUR' })
    expect(await create(client, PRODUCT, { name: 'b', currency: '' })).toMatchObject({ currency: 'EUR' })
    expect(await create(client, PRODUCT, { name: 'c', currency: ' usd ' })).toMatchObject({ currency: 'USD' })
  })

  test.each([0, 0.01, 0.1, 19.99, 1_234_567.89, 999_999_999_999.98])(
    'keeps the price %d to the cent',
    async (price) => {
      const { client } = await makeTenant(service)
      const { id, defaultPrice } = await create(client, PRODUCT, { name: 'a', defaultPrice: price })
      expect(defaultPrice).toBe(price)
      expect((await client.get('/products')).body.data[0].default_price).toBe(price)
      const { rows } = await service.database.pool.query('select default_price from product where id = $1', [id])
      expect(rows[0].default_price).toBe(price.toFixed(2))
    },
  )
})

describe('a tag on contacts', () => {
  const TAG = KINDS.find(({ type }) => type === 'Tag')!

  async function tagged() {
    const tenant = await makeTenant(service)
    const tag = await makeTag(service.database, tenant.accountId, { name: 'Hot' })
    const other = await makeTag(service.database, tenant.accountId, { name: 'Kept' })
    const carrier = await makeContact(service.database, tenant.accountId, { tags: [tag, other] })
    const bystander = await makeContact(service.database, tenant.accountId, { tags: [other] })
    const read = async ({ id }: { id: string }) => (await tenant.client.get(`/contacts/${id}`)).body.data
    return { ...tenant, tag, carrier, bystander, read }
  }

  const later = (a: Input, b: Input) => Date.parse(a.updated_at as string) > Date.parse(b.updated_at as string)

  test('is taken off them when it is deleted, and they have changed thereby', async () => {
    const { client, tag, carrier, bystander, read } = await tagged()
    const before = [await read(carrier), await read(bystander)]
    dataOf(await client.graphql(deleteOf(TAG), { id: tag.id }))
    const after = [await read(carrier), await read(bystander)]
    expect(after[0].tags.map(({ name }: Input) => name)).toEqual(['Kept'])
    expect(later(after[0], before[0])).toBe(true)
    expect(after[1]).toEqual(before[1])
  })

  test.each([{ name: 'Warm' }, { color: '#000' }])(
    'that becomes %j shows so on them, but they have not changed',
    async (input) => {
      const { client, tag, carrier, bystander, read } = await tagged()
      const before = [await read(carrier), await read(bystander)]
      dataOf(await client.graphql(updateOf(TAG), { id: tag.id, input }))
      const after = [await read(carrier), await read(bystander)]
      const others = before[0].tags.filter(({ id }: Input) => id !== tag.id)
      const shown = { id: tag.id, name: 'Hot', color: '#2563eb', ...input }
      expect(after[0]).toEqual({ ...before[0], tags: expect.arrayContaining([shown, ...others]) })
      expect(after[1]).toEqual(before[1])
    },
  )

  test('that is deleted while contacts are given it ends on none of them', async () => {
    for (let round = 0; round < 3; round++) {
      const { client, accountId, tag, carrier } = await tagged()
      const puts = Array.from({ length: 4 }, (_, i) =>
        client.put(`/contacts/${carrier.id}`, { tags: [tag.id], title: `t${i}` }),
      )
      const posts = Array.from({ length: 4 }, (_, i) => client.post('/contacts', { name: `n${i}`, tags: [tag.id] }))
      const deleted = client.graphql(deleteOf(TAG), { id: tag.id })
      for (const { status } of await Promise.all([...puts, ...posts])) expect([200, 201, 400]).toContain(status)
      dataOf(await deleted)
      const { contact_tag = [] } = await dumpOf(service.database, accountId)
      expect(contact_tag.filter((row) => row.includes(tag.id))).toEqual([])
    }
  })
})
