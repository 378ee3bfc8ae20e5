import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Account } from '../../src/domains/accounts/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Answer, type Client, createClient } from '../support/client.js'
import { makeKey, makeTag, makeTenant } from '../support/factories.js'

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

test('creates a contact and returns it whole, with its tags', async () => {
  const { accountId, client } = await makeTenant(service)
  const tag = await makeTag(service.database, accountId, { name: 'Hot' })
  const sent = {
    name: 'Zoë Ferreira',
    email: 'zoe@example.com',
    phone: '+55 11 99999-0000',
    company: 'Acme',
    title: 'Buyer',
    location: 'Lisboa',
    linkedin_profile_url: 'https://www.linkedin.com/in/zoe',
    source: 'form',
    tags: [tag.id],
    custom_fields: { segment: 'A', deep: { list: [1, 'two', null] } },
  }
  const { status, body } = await client.post('/contacts', sent)
  expect(status).toBe(201)
  expect(body).toEqual({
    success: true,
    data: {
      ...sent,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      phone: '+5511999990000',
      source_channel: null,
      last_interaction: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: body.data.created_at,
      tags: [{ id: tag.id, name: 'Hot', color: tag.color }],
    },
  })
  const read = await client.get(`/contacts/${body.data.id}`)
  expect(read.body.data).toEqual({ ...body.data, notes: [], attribution: null })
})

/** How many contacts the account has. */
const totalOf = async (client: Client): Promise<number> => (await client.get('/contacts')).body.pagination.total

/** Has the database do something before it stores a row of this account. */
const beforeInsert = (table: string, accountId: string, statement: string) => {
  const name = `hindrance_${accountId.replaceAll('-', '')}`
  return service.database.pool.query(`
    create function ${name}() returns trigger language plpgsql as $$ begin ${statement}; return new; end $$;
    create trigger ${name} before insert on ${table} for each row when (new.account_id = '${accountId}')
      execute function ${name}()`)
}

const faultsOf = ({ status, body }: Answer) => ({ status, code: body.error?.code, details: body.error?.details })

test('reads back what it answered, from the list and by id, created and changed at the same moment', async () => {
  const { accountId, client } = await makeTenant(service)
  const tags = [await makeTag(service.database, accountId), await makeTag(service.database, accountId)]
  const sent = { name: 'Ana', email: 'ana@x.test', custom_fields: { a: [1.5, {}] }, tags: tags.map(({ id }) => id) }
  const created = (await client.post('/contacts', sent)).body.data
  expect(created.created_at).toBe(created.updated_at)
  expect(Math.abs(Date.parse(created.created_at) - Date.now())).toBeLessThan(60_000)
  expect((await client.get('/contacts')).body.data).toEqual([created])
  const read = (await client.get(`/contacts/${created.id}`)).body.data
  expect(read).toEqual({ ...created, notes: [], attribution: null })
})

test('takes at most six statements, with tags', async () => {
  const { accountId, client } = await makeTenant(service)
  const tags = [await makeTag(service.database, accountId), await makeTag(service.database, accountId)]
  const sent = { name: 'Ana', email: 'ana@x.test', phone: '11999990000', tags: tags.map(({ id }) => id) }
  const { result, statements } = await service.statementsOf(() => client.post('/contacts', sent))
  expect(result.status).toBe(201)
  expect(statements.length).toBeLessThanOrEqual(6)
})

describe('who may create', () => {
  test('nobody without a key, or with one that does not exist', async () => {
    for (const [key, code] of [
      [undefined, 'MISSING_API_KEY'],
      ['fl_live_nonsense', 'INVALID_API_KEY'],
    ] as const) {
      const { status, body } = await createClient(service.origin, key).post('/contacts', { name: 'Ana' })
      expect({ status, code: body.error.code }).toEqual({ status: 401, code })
    }
  })

  test('only keys that may write contacts; others learn nothing of their input', async () => {
    const { accountId, client } = await makeTenant(service)
    const createWith = async (permissions: string[], body: unknown) => {
      const { secret } = await makeKey(service.database, accountId, { permissions })
      return createClient(service.origin, secret).post('/contacts', body)
    }
    for (const body of [{ name: 'Ana' }, { name: '' }, '{ malformed']) {
      const answer = await createWith(['contacts:read', 'contacts:delete', 'tags:*'], body)
      expect(answer.status).toBe(403)
      expect(answer.body.error).toMatchObject({
        code: 'INSUFFICIENT_PERMISSIONS',
        required_permission: 'contacts:write',
      })
      expect(answer.body.error).not.toHaveProperty('details')
    }
    expect(await totalOf(client)).toBe(0)
    for (const permission of ['contacts:write', 'contacts:*', '*']) {
      expect((await createWith([permission], { name: 'Ana' })).status).toBe(201)
    }
  })
})

describe('invalid input', () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    ['no name', { email: 'a@x.test' }, ['name']],
    ['a name of null', { name: null }, ['name']],
    ['an empty name', { name: '' }, ['name']],
    ['a name of white space', { name: ' \t\n ' }, ['name']],
    ['a name that is no text', { name: 7 }, ['name']],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, ['name']],
    ['a malformed email', { name: 'A', email: 'not an address' }, ['email']],
    ['an email of 321 characters', { name: 'A', email: `${'x'.repeat(314)}@x.test` }, ['email']],
    ['a phone of 41 characters', { name: 'A', phone: '1'.repeat(41) }, ['phone']],
    ['a url of 2,049 characters', { name: 'A', linkedin_profile_url: 'x'.repeat(2049) }, ['linkedin_profile_url']],
    ['a NUL character', { name: 'A', company: 'a\u0000b' }, ['company']],
    ['half a surrogate pair', { name: 'A', title: 'a\ud800' }, ['title']],
    ['tags that are no list', { name: 'A', tags: 'x' }, ['tags']],
    ['a tag id that is no uuid', { name: 'A', tags: ['hot'] }, ['tags']],
    ['a tag id of null', { name: 'A', tags: [null] }, ['tags']],
    ['custom fields that are a list', { name: 'A', custom_fields: [] }, ['custom_fields']],
    ['custom fields that are too large', { name: 'A', custom_fields: { a: 'x'.repeat(65_536) } }, ['custom_fields']],
    ['a NUL deep in custom fields', { name: 'A', custom_fields: { a: [{ 'b\u0000': 1 }] } }, ['custom_fields']],
    [
      'several faults',
      { name: '', email: 'x', phone: 5, source: 'x'.repeat(256), tags: ['hot'] },
      ['name', 'email', 'phone', 'source', 'tags'],
    ],
  ])('%s is refused by name, and nothing is stored', async (_, sent, fields) => {
    const { client } = await makeTenant(service)
    const { status, body } = await client.post('/contacts', sent)
    expect(status).toBe(400)
    expect(body).toEqual({
      success: false,
      error: {
        code: 'VALIDATION_ERROR',
        message: expect.any(String),
        details: expect.any(Array),
        request_id: expect.any(String),
      },
    })
    const named = body.error.details.map(({ field }: { field: string }) => field)
    expect([...new Set(named)].toSorted()).toEqual(fields.toSorted())
    expect(await totalOf(client)).toBe(0)
  })

  test('at its limits is accepted and kept, counted in characters as people see them', async () => {
    const { client } = await makeTenant(service)
    const sent = {
      name: '😀'.repeat(255),
      email: `${'x'.repeat(313)}@x.test`,
      phone: 'x'.repeat(40),
      company: 'é'.repeat(255),
      linkedin_profile_url: 'u'.repeat(2048),
    }
    const { status, body } = await client.post('/contacts', sent)
    expect(status).toBe(201)
    expect(body.data).toMatchObject(sent)
    expect((await client.get(`/contacts/${body.data.id}`)).body.data).toMatchObject(sent)
  })

  test.each(WALLS)('a tag of another account is refused exactly like an unknown one, %s', async (_, appOf) => {
    const app = appOf()
    const { accountId, client } = await makeTenant(app)
    const other = await makeTenant(app)
    const own = await makeTag(app.database, accountId)
    const theirs = await makeTag(app.database, other.accountId)
    const create = async (tag: string) => {
      const answer = await client.post('/contacts', { name: 'Ana', tags: [own.id, tag] })
      return { ...faultsOf(answer), message: answer.body.error?.message }
    }
    const unknown = await create(randomUUID())
    expect(unknown).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', details: [{ field: 'tags' }] })
    expect(await create(theirs.id)).toEqual(unknown)
    expect(await totalOf(client)).toBe(0)
  })

  test('an unknown field is ignored with a warning, or refused when the caller is strict', async () => {
    const { client } = await makeTenant(service)
    const { status, body } = await client.post('/contacts', { name: 'Ana', nickname: 'An', created_at: '2020-01-01' })
    expect(status).toBe(201)
    expect(body.warnings.map(({ field }: { field: string }) => field)).toEqual(['nickname', 'created_at'])
    expect(body.data.created_at).not.toMatch(/^2020/)
    const strict = await client.post('/contacts', { name: 'Eva', nickname: 'Ev' }, { Prefer: 'handling=strict' })
    expect(faultsOf(strict)).toMatchObject({ status: 400, details: [{ field: 'nickname' }] })
    expect(await totalOf(client)).toBe(1)
  })
})

describe('an email that another contact has', () => {
  test.each(['ana@x.test', 'ANA@X.TEST', '  Ana@x.Test '])(
    'is a conflict without regard to case: %s',
    async (email) => {
      const { client } = await makeTenant(service)
      const first = await client.post('/contacts', { name: 'Ana', email: 'Ana@X.test' })
      expect(first.body.data.email).toBe('Ana@X.test')
      const { status, body } = await client.post('/contacts', { name: 'Other', email })
      expect(status).toBe(409)
      expect(body).toEqual({
        success: false,
        error: {
          code: 'DUPLICATE_ERROR',
          message: expect.any(String),
          details: [{ field: 'email', message: expect.any(String), existing_id: first.body.data.id }],
          request_id: expect.any(String),
        },
      })
      expect(await totalOf(client)).toBe(1)
    },
  )

  test.each(WALLS)('may be used in another account, and no email by any number, %s', async (_, appOf) => {
    for (const { client } of [await makeTenant(appOf()), await makeTenant(appOf())]) {
      for (const email of ['ana@x.test', null, '', undefined]) {
        expect((await client.post('/contacts', { name: 'Ana', email })).status).toBe(201)
      }
    }
  })

  test('counts after what is wrong with the rest of the input', async () => {
    const { client } = await makeTenant(service)
    await client.post('/contacts', { name: 'Ana', email: 'ana@x.test' })
    const answer = await client.post('/contacts', { name: 'Ana', email: 'ana@x.test', tags: [randomUUID()] })
    expect(faultsOf(answer)).toMatchObject({ status: 400, details: [{ field: 'tags' }] })
  })

  test('of twenty parallel creates one succeeds, and the others name it', async () => {
    const { accountId, client } = await makeTenant(service)
    // Long enough for several to have looked for the email before the first is there.
    await beforeInsert('contact', accountId, 'perform pg_sleep(0.3)')
    const sent = Array.from({ length: 20 }, (_, i) => ({
      name: `Ana ${i}`,
      email: i % 2 ? 'ana@x.test' : 'ANA@x.test',
    }))
    const { result: answers, statements } = await service.statementsOf(() =>
      Promise.all(sent.map((body) => client.post('/contacts', body))),
    )
    expect(statements.filter((text) => /insert into contact \(/.test(text)).length).toBeGreaterThan(1)
    const [created, ...more] = answers.filter(({ status }) => status === 201)
    expect(more).toEqual([])
    const refused = answers.filter((answer) => answer !== created)
    expect(refused.map(faultsOf)).toEqual(
      Array(19).fill({
        status: 409,
        code: 'DUPLICATE_ERROR',
        details: [{ field: 'email', message: expect.any(String), existing_id: created!.body.data.id }],
      }),
    )
    expect((await client.get('/contacts')).body.data).toEqual([created!.body.data])
  })
})

describe('the tags', () => {
  test('may be named twice and in capitals, and are answered by name', async () => {
    const { accountId, client } = await makeTenant(service)
    const [b, a] = [
      await makeTag(service.database, accountId, { name: 'B' }),
      await makeTag(service.database, accountId, { name: 'A' }),
    ]
    const { status, body } = await client.post('/contacts', { name: 'Ana', tags: [b.id, a.id.toUpperCase(), b.id] })
    expect(status).toBe(201)
    expect(body.data.tags).toEqual([
      { id: a.id, name: 'A', color: a.color },
      { id: b.id, name: 'B', color: b.color },
    ])
    expect((await client.get(`/contacts/${body.data.id}`)).body.data.tags).toEqual(body.data.tags)
  })

  test('that cannot be stored leave no contact behind', async () => {
    const { accountId, client } = await makeTenant(service)
    const tag = await makeTag(service.database, accountId)
    await beforeInsert('contact_tag', accountId, `raise exception 'hindered'`)
    const { status, body } = await client.post('/contacts', { name: 'Ana', email: 'ana@x.test', tags: [tag.id] })
    expect({ status, code: body.error.code }).toEqual({ status: 500, code: 'INTERNAL_ERROR' })
    expect(JSON.stringify(body)).not.toContain('hindered')
    expect(await totalOf(client)).toBe(0)
    expect((await client.post('/contacts', { name: 'Ana', email: 'ana@x.test' })).status).toBe(201)
  })

  test('appear together with their contact, never after it', async () => {
    const { accountId, client } = await makeTenant(service)
    const tags = [await makeTag(service.database, accountId), await makeTag(service.database, accountId)]
    await beforeInsert('contact_tag', accountId, 'perform pg_sleep(0.1)')
    const creating = client.post('/contacts', { name: 'Ana', tags: tags.map(({ id }) => id) })
    let listed = (await client.get('/contacts')).body.data
    expect(listed).toEqual([]) // the look was early enough to see something go wrong
    while (listed.length === 0) {
      await delay(5)
      listed = (await client.get('/contacts')).body.data
    }
    expect(listed).toEqual([(await creating).body.data])
    expect(listed[0].tags).toHaveLength(2)
  })
})

describe('optional fields', () => {
  const OPTIONAL = ['email', 'phone', 'company', 'title', 'location', 'linkedin_profile_url', 'custom_fields']
  const empty = Object.fromEntries(OPTIONAL.map((name) => [name, null]))

  test.each([
    ['absent', undefined],
    ['null', null],
    ['""', ''],
    ['white space', ' \n '],
  ])('that are %s are null, the source api and the tags none', async (_, value) => {
    const { client } = await makeTenant(service)
    const texts = OPTIONAL.filter((name) => name !== 'custom_fields')
    const sent = Object.fromEntries([...texts, 'source'].map((name) => [name, value]))
    const more = value === null ? { custom_fields: null, tags: null } : {}
    const { status, body } = await client.post('/contacts', { name: 'Ana', ...sent, ...more })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({ ...empty, name: 'Ana', source: 'api', tags: [] })
    expect((await client.get(`/contacts/${body.data.id}`)).body.data).toMatchObject(body.data)
  })

  test('that are an empty list or object stay so', async () => {
    const { client } = await makeTenant(service)
    const { body } = await client.post('/contacts', { name: 'Ana', tags: [], custom_fields: {} })
    expect(body.data).toMatchObject({ tags: [], custom_fields: {} })
  })

  test('are trimmed, have LF for CRLF, and are otherwise kept as sent', async () => {
    const { client } = await makeTenant(service)
    const sent = {
      name: '  Zoe\u0308 \u202e😀 O\u2019Neil  ',
      company: 'line\r\nline\ttab',
      title: '<b>&amp;\'"\\',
      source: ' Form ',
    }
    const { body } = await client.post('/contacts', sent)
    expect(body.data).toMatchObject({
      name: 'Zoe\u0308 \u202e😀 O\u2019Neil',
      company: 'line\nline\ttab',
      title: '<b>&amp;\'"\\',
      source: 'Form',
    })
  })

  test('custom fields keep every kind of value', async () => {
    const { client } = await makeTenant(service)
    const custom_fields = {
      text: 'ü"\\\n',
      number: -1.5e-7,
      large: 9_007_199_254_740_991,
      yes: true,
      nothing: null,
      list: [[], {}, ''],
      '': 'no name',
    }
    const { body } = await client.post('/contacts', { name: 'Ana', custom_fields })
    expect(body.data.custom_fields).toEqual(custom_fields)
    expect((await client.get(`/contacts/${body.data.id}`)).body.data.custom_fields).toEqual(custom_fields)
  })
})

describe('the phone', () => {
  test.each([
    ['+5511999990000', '+5511999990000', 'in E.164'],
    ['+351 912 345 678', '+351912345678', 'of another country'],
    ['+44 (0)20 7946 0018', '+442079460018', 'with a trunk zero in brackets'],
    ['(11) 99999-0000', '+5511999990000', "of the account's country"],
    ['011 99999 0000', '+5511999990000', "of the account's country with its trunk zero"],
    ['ask Maria', 'ask Maria', 'that is none'],
    ['123', '123', 'that is too short'],
    ['+999 123 456 789', '+999 123 456 789', 'of no country'],
    ['+55 11 3333-4444 ext. 12', '+55 11 3333-4444 ext. 12', 'with an extension'],
  ])('%s becomes %s: one %s', async (phone, expected) => {
    const { client } = await makeTenant(service)
    const { status, body } = await client.post('/contacts', { name: 'Ana', phone })
    expect({ status, phone: body.data.phone }).toEqual({ status: 201, phone: expected })
    expect((await client.get(`/contacts/${body.data.id}`)).body.data.phone).toBe(expected)
  })

  test("without a country code is of the account's country", async () => {
    const { accountId, client } = await makeTenant(service)
    await service.database.fork().nativeUpdate(Account, { id: accountId }, { country: 'PT' })
    const { body } = await client.post('/contacts', { name: 'Ana', phone: '912 345 678' })
    expect(body.data.phone).toBe('+351912345678')
  })
})
