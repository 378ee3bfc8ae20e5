import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { Contact } from '../../src/domains/contacts/index.js'
import type { Tag } from '../../src/domains/reference/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Client, createClient } from '../support/client.js'
import { makeContact, makeKey, makeTag, makeTenant, type Tenant } from '../support/factories.js'
import {
  fold,
  PROPERTY_TIMEOUT,
  type Query,
  query,
  RUNS,
  type Seed,
  SORT_FIELDS,
  seeds,
  storeSeeds,
  storeTags,
} from '../support/generators.js'

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

type Asked = Record<string, string | number>
type NewContact = NonNullable<Parameters<typeof makeContact>[2]>

const list = (client: Client, parameters: Asked = {}) => {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return client.get(`/contacts?${pairs.join('&')}`)
}

/** The names of the contacts that are found, in the order of their creation. */
async function namesOf(client: Client, parameters: Asked): Promise<string[]> {
  const { status, body } = await list(client, { sort_order: 'asc', limit: 100, ...parameters })
  expect({ status, total: body.pagination?.total }).toEqual({ status: 200, total: body.data?.length })
  return body.data.map(({ name }: Contact) => name)
}

/** Contacts of a new account, created one after the other. */
async function accountWith(...contacts: NewContact[]): Promise<Tenant> {
  const tenant = await makeTenant(service)
  for (const contact of contacts) await makeContact(service.database, tenant.accountId, contact)
  return tenant
}

const at = (ms: number) => new Date(Date.parse('2026-03-01T12:00:00.000Z') + ms)

const plain: Seed = {
  rank: 0,
  name: 'Same',
  email: null,
  phone: null,
  company: null,
  source: 'api',
  sourceChannel: null,
  customFields: null,
  lastInteraction: null,
  createdAt: at(0),
  updatedAt: at(0),
  tags: [],
}

/** Stores contacts that differ from each other only in what is given, by ids in no order. */
const store = (accountId: string, contacts: Partial<Seed>[]) =>
  storeSeeds(
    service.database,
    accountId,
    contacts.map((contact, i) => ({ ...plain, rank: (i * 2_654_435_761) % 2 ** 32, ...contact })),
  )

describe('the answer', () => {
  test('has every field of a contact in the envelope of a list', async () => {
    const { accountId, client } = await makeTenant(service)
    const [hot, cold] = [
      await makeTag(service.database, accountId, { name: 'Hot', color: '#ff0000' }),
      await makeTag(service.database, accountId, { name: 'Cold', color: '#0000ff' }),
    ]
    const fields = {
      name: 'Zoë Ferreira',
      email: 'Zoe@Example.com',
      phone: '+5511999990000',
      company: 'Acme',
      title: 'Buyer',
      location: 'Lisboa',
      source: 'form',
    }
    const contact = await makeContact(service.database, accountId, {
      ...fields,
      linkedinProfileUrl: 'https://www.linkedin.com/in/zoe',
      sourceChannel: 'linkedin',
      customFields: { segment: 'A', deep: { list: [1, 'two', null] } },
      lastInteraction: at(7),
      createdAt: at(5),
      headline: 'not in lists',
      tags: [hot, cold],
      notes: ['not in lists either'],
    })
    const { status, headers, body } = await client.get('/contacts')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(body).toEqual({
      success: true,
      data: [
        {
          ...fields,
          id: contact.id,
          linkedin_profile_url: 'https://www.linkedin.com/in/zoe',
          source_channel: 'linkedin',
          custom_fields: { segment: 'A', deep: { list: [1, 'two', null] } },
          last_interaction: '2026-03-01T12:00:00.007Z',
          created_at: '2026-03-01T12:00:00.005Z',
          updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          tags: [
            { id: cold.id, name: 'Cold', color: '#0000ff' },
            { id: hot.id, name: 'Hot', color: '#ff0000' },
          ],
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

  test('has null for what is empty, and no tags as an empty list', async () => {
    const { client } = await accountWith({ name: 'Bare' })
    const { body } = await client.get('/contacts')
    expect(body.data).toEqual([
      {
        id: expect.any(String),
        name: 'Bare',
        email: null,
        phone: null,
        company: null,
        title: null,
        location: null,
        linkedin_profile_url: null,
        source: 'api',
        source_channel: null,
        custom_fields: null,
        last_interaction: null,
        created_at: body.data[0].updated_at,
        updated_at: expect.any(String),
        tags: [],
      },
    ])
  })

  test('of an account without contacts is an empty page', async () => {
    const { client } = await makeTenant(service)
    const { status, body } = await client.get('/contacts')
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      data: [],
      pagination: {
        page: 1,
        per_page: 50,
        total: 0,
        total_pages: 0,
        has_next: false,
        has_prev: false,
        next_cursor: null,
      },
    })
  })
})

describe('search', () => {
  test.each([
    ['joao', 'a name without its accents'],
    ['JOÃO', 'a name in capitals'],
    ['Joa\u0303o', 'a name with its accent as a character of its own'],
    ['oão da', 'the middle of a name, with a space'],
    ['EXEMPLO.com.br', 'an email'],
    ['padaria sao', 'a company'],
    ['ã', 'one character'],
    ['sã', 'two characters'],
    ['são', 'three characters'],
    ['  joão  ', 'white space around a term'],
  ])('for "%s" finds %s', async (search) => {
    const { client } = await accountWith(
      { name: 'João da Silva', email: 'j@exemplo.com.br', company: 'Padaria São Zé' },
      { name: 'Mike', email: 'mike@firm.test', company: 'Public Works' },
    )
    expect(await namesOf(client, { search })).toEqual(['João da Silva'])
  })

  test.each(['title', 'location', 'phone', 'source', 'linkedinProfileUrl', 'headline', 'about'])(
    'does not look into %s',
    async (field) => {
      const { client } = await accountWith({ name: 'Someone', [field]: 'needle' })
      expect(await namesOf(client, { search: 'needle' })).toEqual([])
      expect(await namesOf(client, { search: 'someone' })).toEqual(['Someone'])
    },
  )

  test.each(['%', '_', '\\', '%%', '\\%', '\\_', '_%', '\\\\', "'", '"', '*', '?', '$1', '(', '[a', '.', '--'])(
    'takes %s literally',
    async (search) => {
      const { client } = await accountWith({ name: 'plain abc' }, { name: `a${search}c` }, { company: `x ${search} y` })
      const { body } = await list(client, { search, sort_order: 'asc' })
      expect(body.data.map(({ name, company }: Contact) => company ?? name)).toEqual([`a${search}c`, `x ${search} y`])
    },
  )

  test('never matches across two fields', async () => {
    const { client } = await accountWith({ name: 'Ann', email: 'bob@corp.test', company: 'Deli' })
    for (const search of ['nb', 'annb', 'ann bob', 'td', 'test deli', 'testdeli', 'n\nb']) {
      expect({ search, found: await namesOf(client, { search }) }).toEqual({ search, found: [] })
    }
    for (const search of ['ann', 'bob@corp.test', 'deli']) expect(await namesOf(client, { search })).toEqual(['Ann'])
  })

  test('folds letters that are no plain letter with an accent', async () => {
    const { client } = await accountWith({ name: 'Łukasz Straße' }, { name: 'ЁЛКА' }, { name: 'Œuvre Æsir' })
    expect(await namesOf(client, { search: 'lukasz strasse' })).toEqual(['Łukasz Straße'])
    expect(await namesOf(client, { search: 'ёлка' })).toEqual(['ЁЛКА'])
    expect(await namesOf(client, { search: 'oeuvre aesir' })).toEqual(['Œuvre Æsir'])
  })

  test('finds a contact once, however many of its fields match', async () => {
    const { client } = await accountWith({ name: 'acme acme', email: 'acme@acme.test', company: 'Acme' })
    expect(await namesOf(client, { search: 'acme' })).toEqual(['acme acme'])
  })
})

describe('the filters', () => {
  test('company contains the value, without case and accents, and looks nowhere else', async () => {
    const { client } = await accountWith(
      { name: 'A', company: 'Padaria São José' },
      { name: 'B', company: 'Other' },
      { name: 'Jose', email: 'jose@x.test' },
      { name: 'Jose of Other', company: 'Others' },
    )
    expect(await namesOf(client, { company: 'SAO jose' })).toEqual(['A'])
    expect(await namesOf(client, { company: 'jose' })).toEqual(['A'])
    expect(await namesOf(client, { company: 'ã' })).toEqual(['A'])
    expect(await namesOf(client, { company: '%' })).toEqual([])
    expect(await namesOf(client, { company: 'other' })).toEqual(['B', 'Jose of Other'])
  })

  test('email contains the value, without case and accents, and looks nowhere else', async () => {
    const { client } = await accountWith(
      { name: 'A', email: 'Ana.Lima@Corp.test' },
      { name: 'B', email: 'josé_x@corp.test' },
      { name: 'corp.test', company: 'corp.test' },
      { name: 'corp.test', email: 'else@where.test' },
    )
    expect(await namesOf(client, { email: 'ana.lima@corp.test' })).toEqual(['A'])
    expect(await namesOf(client, { email: 'CORP' })).toEqual(['A', 'B'])
    expect(await namesOf(client, { email: 'jose' })).toEqual(['B'])
    expect(await namesOf(client, { email: '_' })).toEqual(['B'])
  })

  test.each(['+5511999990000', '(11) 99999-0000', '11 99999 0000', '99999', '11.9', '0000', '5'])(
    'phone %s finds a number that has these digits in a row',
    async (phone) => {
      const { client } = await accountWith(
        { name: 'E.164', phone: '+5511999990000' },
        { name: 'as sent', phone: '+55 (11) 99999-0000 ext. 12' },
        { name: 'another', phone: '+441234' },
        { name: 'none' },
      )
      expect(await namesOf(client, { phone })).toEqual(['E.164', 'as sent'])
    },
  )

  test.each(['abc', '+', '()', '%', '-'])('phone %s, without digits, matches nothing', async (phone) => {
    const { client } = await accountWith({ name: 'A', phone: '+5511999990000' }, { name: 'B', phone: `ask ${phone}` })
    const { status, body } = await list(client, { phone })
    expect(status).toBe(200)
    expect(body.data).toEqual([])
    expect(body.pagination).toMatchObject({ total: 0, total_pages: 0 })
  })

  test('source equals the value, without case', async () => {
    const { client } = await accountWith(
      { name: 'A', source: 'Form' },
      { name: 'B', source: 'ÍNDICE' },
      { name: 'C', source: 'forms' },
      { name: 'D', source: 'F_rm' },
      { name: 'E' },
    )
    expect(await namesOf(client, { source: 'fORM' })).toEqual(['A'])
    expect(await namesOf(client, { source: 'índice' })).toEqual(['B'])
    expect(await namesOf(client, { source: 'f_rm' })).toEqual(['D'])
    expect(await namesOf(client, { source: 'api' })).toEqual(['E'])
    expect(await namesOf(client, { source: 'f' })).toEqual([])
  })

  test('an empty value is the same as none', async () => {
    const { client } = await accountWith({ name: 'A' }, { name: 'B' })
    for (const name of ['search', 'company', 'email', 'phone', 'source', 'tags', 'created_after', 'updated_before']) {
      expect(await namesOf(client, { [name]: '' })).toEqual(['A', 'B'])
      expect(await namesOf(client, { [name]: '  ' })).toEqual(['A', 'B'])
    }
  })

  test('combine: a contact meets every one of them', async () => {
    const tenant = await makeTenant(service)
    const vip = await makeTag(service.database, tenant.accountId)
    const whole = { name: 'Ana', email: 'ana@corp.test', company: 'Corp', phone: '+351912345678', source: 'form' }
    const filters = { search: 'ana', company: 'corp', email: '@corp', phone: '912', source: 'FORM', tags: vip.id }
    await makeContact(service.database, tenant.accountId, { ...whole, tags: [vip] })
    await makeContact(service.database, tenant.accountId, { ...whole, email: 'ana2@corp.test' })
    const others = { name: 'Eva', email: 'ana@else.test', company: 'Firm', phone: '+351000', source: 'api' }
    for (const [field, value] of Object.entries(others)) {
      const email = field === 'email' ? value : `${field}@corp.test`
      await makeContact(service.database, tenant.accountId, { ...whole, email, [field]: value, tags: [vip] })
    }
    const { body } = await list(tenant.client, filters)
    expect(body.data).toEqual([expect.objectContaining({ ...whole, tags: [expect.objectContaining({ id: vip.id })] })])
    expect(body.pagination.total).toBe(1)
    expect(await namesOf(tenant.client, { ...filters, tags: '', email: '' })).toHaveLength(3)
  })
})

describe('the filter by tags', () => {
  let tenant: Tenant
  let tags: Tag[]
  beforeAll(async () => {
    tenant = await makeTenant(service)
    const make = (name: string) => makeTag(service.database, tenant.accountId, { name })
    tags = [await make('one'), await make('two'), await make('three')]
    const [one, two] = tags as [Tag, Tag]
    await makeContact(service.database, tenant.accountId, { name: 'both', tags: [one, two] })
    await makeContact(service.database, tenant.accountId, { name: 'first', tags: [one] })
    await makeContact(service.database, tenant.accountId, { name: 'second', tags: [two] })
    await makeContact(service.database, tenant.accountId, { name: 'neither' })
  })

  const ids = (...places: number[]) => places.map((place) => tags[place]!.id)

  test('finds those that carry any of the tags, each once, with all the tags they have', async () => {
    expect(await namesOf(tenant.client, { tags: ids(0).join() })).toEqual(['both', 'first'])
    expect(await namesOf(tenant.client, { tags: ids(0, 1).join() })).toEqual(['both', 'first', 'second'])
    expect(await namesOf(tenant.client, { tags: ids(2).join() })).toEqual([])
    const { body } = await list(tenant.client, { tags: ids(0).join(), search: 'both' })
    expect(body.data[0].tags.map(({ name }: Tag) => name)).toEqual(['one', 'two'])
  })

  test('takes the ids separated by commas, repeated, or both, in any spelling', async () => {
    const everyone = ['both', 'first', 'second']
    const found = async (search: string) => {
      const { body } = await tenant.client.get(`/contacts?sort_order=asc&${search}`)
      return body.data.map(({ name }: Contact) => name)
    }
    const [one, two, three] = ids(0, 1, 2) as [string, string, string]
    expect(await found(`tags=${one},${two}`)).toEqual(everyone)
    expect(await found(`tags=${one}&tags=${two}`)).toEqual(everyone)
    expect(await found(`tags=${three},${one}&tags=${two}&tags=${two}`)).toEqual(everyone)
    expect(await found(`tags=%20${one}%20,,${two},`)).toEqual(everyone)
    expect(await found(`tags=${one.toUpperCase()}`)).toEqual(['both', 'first'])
  })

  test('an id that is unknown or no uuid matches nothing, and does not disturb the others', async () => {
    for (const nothing of [randomUUID(), 'hot', '123', "' or 1=1", ids(0)[0]!.slice(1)]) {
      expect(await namesOf(tenant.client, { tags: nothing })).toEqual([])
      expect(await namesOf(tenant.client, { tags: `${nothing},${ids(1)[0]}` })).toEqual(['both', 'second'])
    }
  })
})

describe('the bounds', () => {
  const stamped = async () => {
    const tenant = await makeTenant(service)
    await store(
      tenant.accountId,
      [0, 1, 2].map((ms) => ({ name: `+${ms}`, createdAt: at(ms), updatedAt: at(1000 + ms) })),
    )
    return tenant
  }

  test.each([
    ['created', 0],
    ['updated', 1000],
  ])('on %s are inclusive to the millisecond', async (what, offset) => {
    const { client } = await stamped()
    const moment = at(offset + 1).toISOString()
    expect(await namesOf(client, { [`${what}_after`]: moment })).toEqual(['+1', '+2'])
    expect(await namesOf(client, { [`${what}_before`]: moment })).toEqual(['+0', '+1'])
    expect(await namesOf(client, { [`${what}_after`]: moment, [`${what}_before`]: moment })).toEqual(['+1'])
  })

  test('a lower bound after its upper one matches nothing', async () => {
    const { client } = await stamped()
    const bounds = { created_after: at(2).toISOString(), created_before: at(1).toISOString() }
    expect(await namesOf(client, bounds)).toEqual([])
  })

  test('a value that was read can be sent back as both bounds', async () => {
    const { client } = await makeTenant(service)
    for (let i = 0; i < 5; i++) await client.post('/contacts', { name: `Contact ${i}` })
    const { body } = await client.get('/contacts')
    for (const { id, created_at, updated_at } of body.data) {
      const bounds = { created_after: created_at, created_before: created_at }
      const more = { updated_after: updated_at, updated_before: updated_at }
      const found = (await list(client, { ...bounds, ...more })).body.data
      expect(found.map((contact: Contact) => contact.id)).toContain(id)
      for (const contact of found) expect(contact).toMatchObject({ created_at, updated_at })
    }
  })

  test('finer than a millisecond, with an offset, or a date alone mean the instants they name', async () => {
    const { client } = await stamped()
    expect(await namesOf(client, { created_after: '2026-03-01T12:00:00.0005Z' })).toEqual(['+1', '+2'])
    expect(await namesOf(client, { created_before: '2026-03-01T12:00:00.0019Z' })).toEqual(['+0', '+1'])
    expect(await namesOf(client, { created_after: '2026-03-01T09:00:00.002-03:00' })).toEqual(['+2'])
    expect(await namesOf(client, { created_after: '2026-03-01', created_before: '2026-03-01' })).toHaveLength(3)
    expect(await namesOf(client, { created_after: '2026-03-02' })).toEqual([])
    expect(await namesOf(client, { created_before: '2026-02-28' })).toEqual([])
  })

  test('that are no dates are refused, each by its name', async () => {
    const { client } = await makeTenant(service)
    const { status, body } = await list(client, {
      created_after: 'yesterday',
      created_before: '2024-02-30',
      updated_after: '2024-13-01T00:00:00Z',
      updated_before: '1700000000',
    })
    expect(status).toBe(400)
    expect(body).toMatchObject({ success: false, error: { code: 'VALIDATION_ERROR' } })
    expect(body.error.details.map(({ field }: { field: string }) => field).sort()).toEqual([
      'created_after',
      'created_before',
      'updated_after',
      'updated_before',
    ])
  })
})

describe('sorting', () => {
  const inOrder = async (client: Client, parameters: Asked) => {
    const { body } = await list(client, parameters)
    return body.data.map(({ name }: Contact) => name)
  }

  test('is by creation, newest first, unless asked otherwise', async () => {
    const { accountId, client } = await makeTenant(service)
    await store(accountId, [
      { name: 'second', createdAt: at(2) },
      { name: 'first', createdAt: at(1) },
      { name: 'third', createdAt: at(3) },
    ])
    expect(await inOrder(client, {})).toEqual(['third', 'second', 'first'])
    expect(await inOrder(client, { sort_order: 'asc' })).toEqual(['first', 'second', 'third'])
    expect(await inOrder(client, { sort_by: 'created_at', sort_order: 'desc' })).toEqual(['third', 'second', 'first'])
  })

  test.each(['created_at', 'updated_at', 'last_interaction'])('by %s goes by time, both ways', async (sort_by) => {
    const { accountId, client } = await makeTenant(service)
    const field = sort_by.replace(/_(.)/, (_, letter) => letter.toUpperCase())
    await store(
      accountId,
      [2, 1, 86_400_000, 3].map((ms) => ({ name: String(ms), [field]: at(ms) })),
    )
    expect(await inOrder(client, { sort_by, sort_order: 'asc' })).toEqual(['1', '2', '3', '86400000'])
    expect(await inOrder(client, { sort_by, sort_order: 'desc' })).toEqual(['86400000', '3', '2', '1'])
    expect(await inOrder(client, { sort_by })).toEqual(['86400000', '3', '2', '1'])
  })

  test.each(['name', 'company'])('by %s is without case and accents, both ways', async (sort_by) => {
    const { accountId, client } = await makeTenant(service)
    const texts = ['zebra', 'Éclair', 'Abel', 'ábaco', 'eclipse', 'Ábside', 'Zé', '_x', '10']
    await store(
      accountId,
      texts.map((text) => ({ name: text, [sort_by]: text })),
    )
    const expected = ['10', '_x', 'ábaco', 'Abel', 'Ábside', 'Éclair', 'eclipse', 'Zé', 'zebra']
    expect(await inOrder(client, { sort_by, sort_order: 'asc' })).toEqual(expected)
    expect(await inOrder(client, { sort_by, sort_order: 'desc' })).toEqual(expected.toReversed())
  })

  test.each([
    ['company', 'company', ['A', 'B']],
    ['last_interaction', 'lastInteraction', [at(1), at(2)]],
  ])('by %s has the empty ones last both ways', async (sort_by, field, [less, more]) => {
    const { accountId, client } = await makeTenant(service)
    await store(accountId, [
      { name: 'empty' },
      { name: 'more', [field]: more },
      { name: 'less', [field]: less },
      { name: 'empty' },
    ])
    expect(await inOrder(client, { sort_by, sort_order: 'asc' })).toEqual(['less', 'more', 'empty', 'empty'])
    expect(await inOrder(client, { sort_by, sort_order: 'desc' })).toEqual(['more', 'less', 'empty', 'empty'])
  })

  test('by an unknown field or order is the default, with a warning', async () => {
    const { accountId, client } = await makeTenant(service)
    await store(accountId, [
      { name: 'b', createdAt: at(1) },
      { name: 'a', createdAt: at(2) },
    ])
    const { status, body } = await list(client, { sort_by: 'email', sort_order: 'upwards' })
    expect(status).toBe(200)
    expect(body.data.map(({ name }: Contact) => name)).toEqual(['a', 'b'])
    expect(body.warnings.map(({ field }: { field: string }) => field)).toEqual(['sort_by', 'sort_order'])
    const strict = await client.get('/contacts?sort_by=email', { Prefer: 'handling=strict' })
    expect(strict.body.error).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'sort_by' }] })
  })
})

describe('ties', () => {
  /** All ids, page by page. */
  async function throughPages(client: Client, parameters: Asked): Promise<string[]> {
    const ids: string[] = []
    for (let page = 1; page <= 5; page++) {
      const { body } = await list(client, { ...parameters, page, limit: 7 })
      expect(body.pagination).toMatchObject({ page, total: 30, total_pages: 5, has_next: page < 5 })
      ids.push(...body.data.map(({ id }: Contact) => id))
    }
    return ids
  }

  test.each(SORT_FIELDS)(
    'by %s break by id in the same direction, and every contact shows exactly once',
    async (sort_by) => {
      const { accountId, client } = await makeTenant(service)
      const same = { name: 'Áb', company: 'Co', lastInteraction: at(1) }
      // Equal without case and accents is equal.
      const ids = await store(
        accountId,
        Array.from({ length: 30 }, (_, i) => (i % 2 ? same : { ...same, name: 'aB', company: 'CÓ' })),
      )
      const ascending = ids.toSorted()
      expect(ids).not.toEqual(ascending)
      for (const filter of [{}, { search: 'ab' }] as Asked[]) {
        expect(await throughPages(client, { ...filter, sort_by, sort_order: 'asc' })).toEqual(ascending)
        expect(await throughPages(client, { ...filter, sort_by, sort_order: 'desc' })).toEqual(ascending.toReversed())
      }
    },
  )

  test.each(['company', 'last_interaction'])(
    'of those without a %s break by id in the same direction, after the others',
    async (sort_by) => {
      const { accountId, client } = await makeTenant(service)
      const ids = await store(
        accountId,
        Array.from({ length: 30 }, (_, i) => (i < 12 ? { company: 'Co', lastInteraction: at(1) } : {})),
      )
      const [filled, empty] = [ids.slice(0, 12).toSorted(), ids.slice(12).toSorted()]
      expect(await throughPages(client, { sort_by, sort_order: 'asc' })).toEqual([...filled, ...empty])
      expect(await throughPages(client, { sort_by, sort_order: 'desc' })).toEqual([
        ...filled.toReversed(),
        ...empty.toReversed(),
      ])
    },
  )
})

describe('paging', () => {
  const ten = async () => {
    const tenant = await makeTenant(service)
    const names = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']
    await store(
      tenant.accountId,
      names.map((name, i) => ({ name, createdAt: at(i) })),
    )
    return tenant
  }
  const page = async (client: Client, parameters: Asked) => {
    const { body } = await list(client, { sort_order: 'asc', ...parameters })
    return { names: body.data.map(({ name }: Contact) => name).join(''), ...body.pagination }
  }

  test('tells where the page stands, at both ends and between', async () => {
    const { client } = await ten()
    const all = { per_page: 4, total: 10, total_pages: 3 }
    const show = (number: number) => page(client, { page: number, limit: 4 })
    expect(await show(1)).toEqual({
      ...all,
      names: '0123',
      page: 1,
      has_next: true,
      has_prev: false,
      next_cursor: expect.any(String),
    })
    expect(await show(2)).toEqual({
      ...all,
      names: '4567',
      page: 2,
      has_next: true,
      has_prev: true,
      next_cursor: expect.any(String),
    })
    expect(await show(3)).toEqual({ ...all, names: '89', page: 3, has_next: false, has_prev: true, next_cursor: null })
  })

  test('ends exactly with the last contact', async () => {
    const { client } = await ten()
    const last = { names: '56789', total: 10, total_pages: 2, has_next: false }
    expect(await page(client, { page: 2, limit: 5 })).toMatchObject(last)
    expect(await page(client, { limit: 10 })).toMatchObject({ names: '0123456789', total_pages: 1, has_next: false })
  })

  test.each([4, 1000, 2_147_483_647])('past the end, page %d is empty with true totals', async (number) => {
    const { client } = await ten()
    const past = {
      names: '',
      page: number,
      per_page: 4,
      total: 10,
      total_pages: 3,
      has_next: false,
      has_prev: true,
      next_cursor: null,
    }
    expect(await page(client, { page: number, limit: 4 })).toEqual(past)
    const found = {
      names: '',
      page: number,
      total: 1,
      total_pages: 1,
      has_next: false,
      has_prev: true,
      next_cursor: null,
    }
    expect(await page(client, { page: number, limit: 4, search: '7' })).toMatchObject(found)
  })

  test('outside the bounds takes the nearest one, with a warning', async () => {
    const { client } = await ten()
    for (const [parameters, shown] of [
      [{ page: 0 }, { page: 1, per_page: 50 }],
      [
        { page: -3, limit: 0 },
        { page: 1, per_page: 1 },
      ],
      [{ limit: 101 }, { page: 1, per_page: 100 }],
    ] as const) {
      const { status, body } = await list(client, parameters)
      expect({ status, ...body.pagination }).toMatchObject({ status: 200, ...shown })
      expect(body.warnings.map(({ field }: { field: string }) => field)).toEqual(Object.keys(parameters))
    }
  })

  test.each(['abc', '1.5', '1e2', '0x10'])('%s is no page', async (number) => {
    const { client } = await makeTenant(service)
    const { status, body } = await list(client, { page: number })
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'page' }] })
  })
})

describe('who may list', () => {
  test('nobody without a key', async () => {
    const { status, body } = await createClient(service.origin).get('/contacts')
    expect(status).toBe(401)
    expect(body).toMatchObject({ success: false, error: { code: 'MISSING_API_KEY' } })
  })

  test('only keys that may read contacts', async () => {
    const { accountId } = await makeTenant(service)
    const statusWith = async (permission: string) => {
      const { secret } = await makeKey(service.database, accountId, { permissions: [permission] })
      return createClient(service.origin, secret).get('/contacts')
    }
    for (const permission of ['contacts:read', 'contacts:*', '*'])
      expect((await statusWith(permission)).status).toBe(200)
    for (const permission of ['contacts:write', 'tags:read']) {
      const { status, body } = await statusWith(permission)
      expect(status).toBe(403)
      expect(body.error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', required_permission: 'contacts:read' })
    }
  })

  test.each(WALLS)(
    'another account never sees the contacts and tags, in data, totals, searches or filters, %s',
    async (_, appOf) => {
      const app = appOf()
      const theirs = await makeTenant(app)
      const tag = await makeTag(app.database, theirs.accountId, { name: 'Shared' })
      const secret = {
        name: 'Secret',
        email: 'secret@x.test',
        company: 'Secret',
        phone: '+5511999990000',
        source: 'hush',
      }
      const contact = await makeContact(app.database, theirs.accountId, { ...secret, tags: [tag] })

      const mine = await makeTenant(app)
      const own = await makeTag(app.database, mine.accountId, { name: 'Shared' })
      await makeContact(app.database, mine.accountId, { name: 'Mine', tags: [own] })
      const { body } = await mine.client.get('/contacts')
      expect(body.pagination.total).toBe(1)
      expect(body.data).toMatchObject([{ name: 'Mine', tags: [{ id: own.id }] }])

      const queries: Asked[] = [
        { search: 'secret' },
        { search: 's' },
        { company: 'secret' },
        { email: 'secret' },
        { phone: '99999' },
        { source: 'hush' },
        { tags: tag.id },
        { search: 'secret', page: 2 },
      ]
      for (const parameters of queries) {
        const hidden = (await list(mine.client, parameters)).body
        expect({ parameters, data: hidden.data, total: hidden.pagination.total }).toEqual({
          parameters,
          data: [],
          total: 0,
        })
      }
      expect((await list(mine.client, { page: 2 })).body.pagination.total).toBe(1)
      // The same queries do find it where it belongs.
      for (const parameters of queries.filter(({ page }) => page === undefined)) {
        expect((await list(theirs.client, parameters)).body.data).toMatchObject([{ id: contact.id }])
      }
    },
  )
})

describe('the statements', () => {
  /** The SQL of a call. */
  async function sqlOf(call: () => Promise<{ status: number }>): Promise<string[]> {
    const { result, statements } = await service.statementsOf(call)
    expect(result.status).toBe(200)
    return statements
  }

  test.each<Asked>([
    {},
    { page: 2, limit: 1 },
    { sort_by: 'company', sort_order: 'asc' },
    { search: 'a' },
    { search: 'contact', company: 'co', source: 'api', created_after: '2020-01-01', page: 2, limit: 1 },
  ])('of a list are one: %j', async (parameters) => {
    const { client } = await accountWith({ name: 'Contact a', company: 'Co' }, { name: 'Contact b', company: 'Co' })
    expect(await sqlOf(() => list(client, parameters))).toHaveLength(1)
  })

  test.each<Asked>([{ page: 3 }, { page: 2, search: 'a' }])('past the end are two: %j', async (parameters) => {
    const { client } = await accountWith({ name: 'Contact a' })
    expect(await sqlOf(() => list(client, parameters))).toHaveLength(2)
  })

  const EVERYTHING = [
    'name',
    'email',
    'phone',
    'company',
    'title',
    'location',
    'linkedin_profile_url',
    'headline',
    'about',
  ]
  const FURTHER = ['profile_picture', 'extracted_contacts', 'source', 'source_channel', 'custom_fields', 'updated_at']

  test.each([
    ['id', []],
    ['name', ['name']],
    ['name company', ['name', 'company']],
    ['customFields updatedAt', ['custom_fields', 'updated_at']],
    ['... on Contact { about }', ['about']],
  ])('through /graphql read no column that is not selected: { %s }', async (fields, columns) => {
    const { client } = await accountWith({ name: 'A' })
    const [text, ...more] = await sqlOf(() => client.graphql(`{ contacts { items { ${fields} } } }`))
    expect(more).toEqual([])
    const read = [...EVERYTHING, ...FURTHER].filter((column) => text!.includes(`"r"."${column}"`))
    expect(read).toEqual(columns)
    expect(text).not.toMatch(/\btag\b|contact_tag|contact_note/)
  })

  test('through /graphql join tags and notes only when they are selected, still in one statement', async () => {
    const tenant = await makeTenant(service)
    const tag = await makeTag(service.database, tenant.accountId, { name: 'Hot' })
    await makeContact(service.database, tenant.accountId, { name: 'A', tags: [tag], notes: ['called'] })
    const asked = 'items { name tags { name } notes { note } }'
    const { result, statements } = await service.statementsOf(() => tenant.client.graphql(`{ contacts { ${asked} } }`))
    expect(result.body.data.contacts.items).toEqual([
      { name: 'A', tags: [{ name: 'Hot' }], notes: [{ note: 'called' }] },
    ])
    expect(statements).toEqual([expect.stringMatching(/contact_note.*contact_tag/s)])
  })
})

describe('any query', () => {
  const contains = (value: string | null, part: string) => value !== null && fold(value).includes(fold(part))
  const digitsOf = (value: string | null) => (value ?? '').replace(/\D/g, '')

  /** Whether a contact meets the conditions, in plain words of the documentation. */
  function meets(seed: Seed, asked: Query): boolean {
    const text = (value: string | undefined) => value?.trim() || undefined
    const search = text(asked.search)
    if (search && ![seed.name, seed.email, seed.company].some((value) => contains(value, search))) return false
    for (const name of ['company', 'email'] as const) {
      const part = text(asked[name])
      if (part && !contains(seed[name], part)) return false
    }
    const phone = text(asked.phone)
    if (phone && !(digitsOf(phone) && digitsOf(seed.phone).includes(digitsOf(phone)))) return false
    if (asked.source && seed.source.toLowerCase() !== asked.source.toLowerCase()) return false
    if (asked.tags && !asked.tags.some((place) => seed.tags.includes(place))) return false
    if (asked.created_after && seed.createdAt < asked.created_after) return false
    if (asked.created_before && seed.createdAt > asked.created_before) return false
    if (asked.updated_after && seed.updatedAt < asked.updated_after) return false
    return !(asked.updated_before && seed.updatedAt > asked.updated_before)
  }

  const KEYS: Record<(typeof SORT_FIELDS)[number], (seed: Seed) => string | number | null> = {
    created_at: ({ createdAt }) => createdAt.getTime(),
    updated_at: ({ updatedAt }) => updatedAt.getTime(),
    name: ({ name }) => fold(name),
    company: ({ company }) => company && fold(company),
    last_interaction: ({ lastInteraction }) => lastInteraction?.getTime() ?? null,
  }

  type Stored = Seed & { id: string }

  /** Smaller first, by the key and then the id; the direction turns both, and never the empty ones. */
  function ordered(stored: Stored[], { sort_by = 'created_at', sort_order = 'desc' }: Query): Stored[] {
    const key = KEYS[sort_by]
    const sign = sort_order === 'asc' ? 1 : -1
    const compare = (a: string | number, b: string | number) => (a < b ? -sign : a > b ? sign : 0)
    return stored.toSorted((a, b) => {
      const [x, y] = [key(a), key(b)]
      if (x !== null && y !== null) return compare(x, y) || compare(a.id, b.id)
      return Number(x === null) - Number(y === null) || compare(a.id, b.id)
    })
  }

  const isCopy = (asked: Query) => asked.updated_after && asked.sort_by === 'updated_at' && asked.sort_order === 'asc'

  function expected(stored: Stored[], asked: Query, tags: Tag[]) {
    const found = ordered(
      stored.filter((seed) => meets(seed, asked)),
      asked,
    )
    const { page, limit } = asked
    const total = found.length
    const remaining = Math.max(0, total - (page - 1) * limit)
    const total_pages = isCopy(asked) ? page - 1 + Math.max(1, Math.ceil(remaining / limit)) : Math.ceil(total / limit)
    const of = { page, per_page: limit, total, total_pages }
    return {
      data: found.slice((page - 1) * limit, page * limit).map((seed) => record(seed, tags)),
      pagination: {
        ...of,
        has_next: page < total_pages,
        has_prev: page > 1,
        next_cursor: page < total_pages ? expect.any(String) : null,
      },
    }
  }

  const record = (seed: Stored, tags: Tag[]) => ({
    id: seed.id,
    name: seed.name,
    email: seed.email,
    phone: seed.phone,
    company: seed.company,
    title: null,
    location: null,
    linkedin_profile_url: null,
    source: seed.source,
    source_channel: seed.sourceChannel,
    custom_fields: JSON.parse(JSON.stringify(seed.customFields)), // JSON knows no negative zero
    last_interaction: seed.lastInteraction?.toISOString() ?? null,
    created_at: seed.createdAt.toISOString(),
    updated_at: seed.updatedAt.toISOString(),
    tags: seed.tags.toSorted().map((place) => ({ id: tags[place]!.id, name: tags[place]!.name, color: 'red' })),
  })

  function parametersOf({ tags: places, ...asked }: Query, tags: Tag[]): Asked {
    const values = Object.entries(asked)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value])
    const ids = places?.map((place) => tags[place]?.id ?? randomUUID())
    return { ...Object.fromEntries(values), ...(ids && { tags: ids.join() }) }
  }

  test(
    'finds, orders and pages as a plain model does',
    async () => {
      let found = 0
      const queries = fc.array(query, { minLength: 5, maxLength: 5 })
      const property = fc.asyncProperty(seeds, queries, async (contacts, several) => {
        const { accountId, client } = await makeTenant(service)
        const tags = await storeTags(service.database, accountId)
        const ids = await storeSeeds(service.database, accountId, contacts, tags)
        const stored = contacts.map((seed, i) => ({ ...seed, id: ids[i]! }))
        for (const asked of several) {
          const { body } = await list(client, parametersOf(asked, tags))
          if (isCopy(asked) && asked.page > 1) delete body.warnings // that it follows no page that was read
          expect(body).toEqual({ success: true, ...expected(stored, asked, tags) })
          found += body.data.length
        }
      })
      await fc.assert(property, { numRuns: RUNS })
      expect(found).toBeGreaterThan(RUNS) // else the queries would be too narrow to show anything
    },
    PROPERTY_TIMEOUT,
  )
})
