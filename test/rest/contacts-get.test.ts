import { randomUUID } from 'node:crypto'
import { ContactNote } from '../../src/domains/contacts/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Answer, createClient } from '../support/client.js'
import { makeContact, makeKey, makeTag, makeTenant } from '../support/factories.js'

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

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const whole = {
  name: 'Zoë Ferreira',
  email: 'Zoe@Example.com',
  phone: '+5511999990000',
  company: 'Acme',
  title: 'Buyer',
  location: 'Lisboa',
  source: 'form',
}

test('returns a contact whole, with its tags by name and its notes', async () => {
  const { accountId, client } = await makeTenant(service)
  const hot = await makeTag(service.database, accountId, { name: 'Hot', color: '#ff0000' })
  const cold = await makeTag(service.database, accountId, { name: 'Cold', color: 'blue' })
  const { id } = await makeContact(service.database, accountId, {
    ...whole,
    linkedinProfileUrl: 'https://www.linkedin.com/in/zoe',
    sourceChannel: 'whatsapp',
    customFields: { 'with space': [1, { deep: null }], 'ç"\\': 'ü\n"' },
    lastInteraction: new Date('2026-02-03T04:05:06.007Z'),
    headline: 'only in GraphQL',
    tags: [hot, cold],
    notes: ['called\n"back" \\ ü'],
  })
  const { status, body } = await client.get(`/contacts/${id}`)
  expect(status).toBe(200)
  expect(body).toEqual({
    success: true,
    data: {
      ...whole,
      id,
      linkedin_profile_url: 'https://www.linkedin.com/in/zoe',
      source_channel: 'whatsapp',
      custom_fields: { 'with space': [1, { deep: null }], 'ç"\\': 'ü\n"' },
      last_interaction: '2026-02-03T04:05:06.007Z',
      created_at: TIMESTAMP,
      updated_at: TIMESTAMP,
      tags: [
        { id: cold.id, name: 'Cold', color: 'blue' },
        { id: hot.id, name: 'Hot', color: '#ff0000' },
      ],
      notes: [{ id: expect.any(String), note: 'called\n"back" \\ ü', created_at: TIMESTAMP }],
      attribution: null,
    },
  })
})

test('returns null for what is empty, and empty lists of tags and notes', async () => {
  const { accountId, client } = await makeTenant(service)
  const { id } = await makeContact(service.database, accountId, { name: 'Bare' })
  const { body } = await client.get(`/contacts/${id}`)
  expect(body.data).toEqual({
    id,
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
    created_at: TIMESTAMP,
    updated_at: body.data.created_at,
    tags: [],
    notes: [],
    attribution: null,
  })
})

test('returns the same as the list, with notes and attribution besides', async () => {
  const { accountId, client } = await makeTenant(service)
  const tags = [await makeTag(service.database, accountId), await makeTag(service.database, accountId)]
  const { id } = await makeContact(service.database, accountId, { ...whole, tags })
  const listed = (await client.get('/contacts')).body.data[0]
  expect((await client.get(`/contacts/${id}`)).body.data).toEqual({ ...listed, notes: [], attribution: null })
})

test('returns the notes oldest first, those of the same moment by id, and no other contact\u2019s', async () => {
  const { accountId, client } = await makeTenant(service)
  const { id } = await makeContact(service.database, accountId)
  await makeContact(service.database, accountId, { notes: ['of another contact'] })
  const em = service.database.fork()
  const at = (ms: number) => new Date(Date.parse('2026-01-01T00:00:00.000Z') + ms)
  const add = (note: string, ms: number, noteId = randomUUID()) =>
    em.create(ContactNote, { id: noteId, contact: id, accountId, note, createdAt: at(ms) })
  add('third', 20)
  add('fourth', 86_400_000)
  add('second of its moment', 5, 'ffffffff-0000-4000-8000-000000000000')
  add('first of its moment', 5, '00000000-0000-4000-8000-000000000000')
  add('second', 10)
  await em.flush()
  const { body } = await client.get(`/contacts/${id}`)
  expect(body.data.notes.map(({ note, created_at }: Record<string, string>) => [note, created_at])).toEqual([
    ['first of its moment', '2026-01-01T00:00:00.005Z'],
    ['second of its moment', '2026-01-01T00:00:00.005Z'],
    ['second', '2026-01-01T00:00:00.010Z'],
    ['third', '2026-01-01T00:00:00.020Z'],
    ['fourth', '2026-01-02T00:00:00.000Z'],
  ])
})

test('finds a contact by its id in capitals and behind a trailing slash', async () => {
  const { accountId, client } = await makeTenant(service)
  const { id } = await makeContact(service.database, accountId)
  for (const path of [id.toUpperCase(), `${id}/`]) {
    expect((await client.get(`/contacts/${path}`)).body.data).toMatchObject({ id })
  }
})

test.each(WALLS)('answers alike for an id that is unknown, malformed or of another account, %s', async (_, appOf) => {
  const app = appOf()
  const { client } = await makeTenant(app)
  const other = await makeTenant(app)
  const theirs = await makeContact(app.database, other.accountId, { name: 'Theirs', notes: ['secret'] })
  const withoutId = ({ status, body }: Answer) => {
    const { request_id, ...error } = body.error
    expect(request_id).toEqual(expect.any(String))
    return { status, body: { ...body, error } }
  }
  const unknown = withoutId(await client.get(`/contacts/${randomUUID()}`))
  expect(unknown).toEqual({
    status: 404,
    body: { success: false, error: { code: 'NOT_FOUND', message: expect.any(String) } },
  })
  for (const id of [theirs.id, 'nobody', '0', `${theirs.id}0`, '%27%20or%201=1', '%00', 'null']) {
    expect({ id, ...withoutId(await client.get(`/contacts/${id}`)) }).toEqual({ id, ...unknown })
  }
  expect((await other.client.get(`/contacts/${theirs.id}`)).status).toBe(200)
})

test('needs a key that may read contacts', async () => {
  const { accountId } = await makeTenant(service)
  const { id } = await makeContact(service.database, accountId)
  const nobody = await createClient(service.origin).get(`/contacts/${id}`)
  expect({ status: nobody.status, code: nobody.body.error.code }).toEqual({ status: 401, code: 'MISSING_API_KEY' })
  const { secret } = await makeKey(service.database, accountId, { permissions: ['contacts:write', 'tags:read'] })
  const { status, body } = await createClient(service.origin, secret).get(`/contacts/${id}`)
  expect(status).toBe(403)
  expect(body.error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', required_permission: 'contacts:read' })
  // What the key may not see, it may not tell from what does not exist.
  expect((await createClient(service.origin, secret).get(`/contacts/${randomUUID()}`)).status).toBe(403)
})

test('takes one statement with tags and notes, and none for an id that is no uuid', async () => {
  const { accountId, client } = await makeTenant(service)
  const tags = [await makeTag(service.database, accountId)]
  const { id } = await makeContact(service.database, accountId, { tags, notes: ['one', 'two'] })
  const count = async (path: string) => {
    const { statements } = await service.statementsOf(() => client.get(path))
    return statements.length
  }
  expect(await count(`/contacts/${id}`)).toBe(1)
  expect(await count(`/contacts/${randomUUID()}`)).toBe(1)
  expect(await count('/contacts/nobody')).toBe(0)
})

test('reads through /graphql only the columns that are selected', async () => {
  const { accountId, client } = await makeTenant(service)
  const { id } = await makeContact(service.database, accountId, { name: 'A', about: 'long', notes: ['one'] })
  const ask = async (fields: string) => {
    const { result, statements } = await service.statementsOf(() =>
      client.graphql('query ($id: ID!) { contact(id: $id) { fields } }'.replace('fields', fields), { id }),
    )
    const [text, ...more] = statements
    expect(more).toEqual([])
    return { contact: result.body.data.contact, text: text! }
  }
  const little = await ask('name')
  expect(little.contact).toEqual({ name: 'A' })
  expect(little.text).not.toMatch(/email|about|custom_fields|\btag\b|contact_tag|contact_note/)
  const more = await ask('about notes { note }')
  expect(more.contact).toEqual({ about: 'long', notes: [{ note: 'one' }] })
  expect(more.text).toMatch(/contact_note/)
  expect(more.text).not.toMatch(/"name"|contact_tag/)
})
