import { randomUUID } from 'node:crypto'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Answer, type Client, createClient } from '../support/client.js'
import { makeContact, makeKey, makeTag, makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const faultsOf = ({ status, body }: Answer) => ({ status, code: body.error?.code })
const NOT_FOUND = { status: 404, code: 'NOT_FOUND' }

const ADD_NOTE = 'mutation ($id: ID!, $note: String!) { addContactNote(contactId: $id, input: {note: $note}) { id } }'
const RECORD_TOUCH = `mutation ($id: ID!, $input: RecordTouchInput!) {
  recordContactTouch(contactId: $id, input: $input) { id } }`

test('a deleted contact is gone for every call', async () => {
  const { accountId, client } = await makeTenant(service)
  const tag = await makeTag(service.database, accountId)
  const { id } = await makeContact(service.database, accountId, { tags: [tag], notes: ['called'] })
  const bystander = await makeContact(service.database, accountId, { tags: [tag], notes: ['called too'] })
  const before = (await client.get(`/contacts/${bystander.id}`)).body.data

  const { status, body } = await client.delete(`/contacts/${id}`)
  expect({ status, body }).toEqual({
    status: 200,
    body: { success: true, data: { id, deleted: true }, message: expect.stringMatching(/deleted/) },
  })
  for (const answer of [
    await client.get(`/contacts/${id}`),
    await client.put(`/contacts/${id}`, { name: 'Eva' }),
    await client.put(`/contacts/${id}`, {}),
    await client.delete(`/contacts/${id}`),
  ]) {
    expect(faultsOf(answer)).toEqual(NOT_FOUND)
  }
  const listed = await client.get('/contacts')
  expect(listed.body.pagination.total).toBe(1)
  expect((await client.get(`/contacts/${bystander.id}`)).body.data).toEqual(before)
  expect((await client.get('/tags')).body.data).toHaveLength(1)
})

test('the answer has the id as the service spells it', async () => {
  const { accountId, client } = await makeTenant(service)
  const { id } = await makeContact(service.database, accountId)
  expect((await client.delete(`/contacts/${id.toUpperCase()}`)).body.data).toEqual({ id, deleted: true })
})

describe('who may delete a contact', () => {
  test('nobody without a key, or with one that does not exist', async () => {
    const { accountId, client } = await makeTenant(service)
    const { id } = await makeContact(service.database, accountId)
    for (const [key, code] of [
      [undefined, 'MISSING_API_KEY'],
      ['fl_live_nonsense', 'INVALID_API_KEY'],
    ] as const) {
      const answer = await createClient(service.origin, key).delete(`/contacts/${id}`)
      expect(faultsOf(answer)).toEqual({ status: 401, code })
    }
    expect((await client.get(`/contacts/${id}`)).status).toBe(200)
  })

  test('only keys that may delete contacts', async () => {
    const { accountId, client } = await makeTenant(service)
    const deleteWith = async (permission: string, id: string) => {
      const { secret } = await makeKey(service.database, accountId, { permissions: [permission] })
      return createClient(service.origin, secret).delete(`/contacts/${id}`)
    }
    const { id } = await makeContact(service.database, accountId)
    for (const permission of ['contacts:read', 'contacts:write', 'tags:*']) {
      for (const target of [id, randomUUID()]) {
        const { status, body } = await deleteWith(permission, target)
        expect({ status, error: body.error }).toMatchObject({
          status: 403,
          error: { code: 'INSUFFICIENT_PERMISSIONS', required_permission: 'contacts:delete' },
        })
      }
    }
    expect((await client.get(`/contacts/${id}`)).status).toBe(200)
    for (const permission of ['contacts:delete', 'contacts:*']) {
      const contact = await makeContact(service.database, accountId)
      expect((await deleteWith(permission, contact.id)).status).toBe(200)
    }
  })

  test('not another account, to which the contact is unknown', async () => {
    const { accountId, client } = await makeTenant(service)
    const other = await makeTenant(service)
    const { id } = await makeContact(service.database, accountId)
    expect(faultsOf(await other.client.delete(`/contacts/${id}`))).toEqual(NOT_FOUND)
    expect((await client.get(`/contacts/${id}`)).status).toBe(200)
  })

  test.each([randomUUID(), 'nobody', '1', '%00', `${randomUUID()}0`])(
    'an id of nobody is not found: %s',
    async (id) => {
      const { client } = await makeTenant(service)
      expect(faultsOf(await client.delete(`/contacts/${id}`))).toEqual(NOT_FOUND)
    },
  )
})

/** The columns of the whole database, as `table.column`, in which a text occurs in any case. */
async function placesOf(text: string): Promise<string[]> {
  const { pool } = service.database
  const columns = await pool.query(`select format('%I.%I', c.table_schema, c.table_name) as table, c.table_name as name,
      c.column_name as column, c.data_type as type
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where t.table_type = 'BASE TABLE' and c.table_schema not in ('pg_catalog', 'information_schema')`)
  expect(columns.rows.length).toBeGreaterThan(50) // or the look would be at too little
  const found: string[] = []
  for (const { table, name, column, type } of columns.rows) {
    const value = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`
    const sql = `select 1 from ${table} where position($1 in lower(${value})) > 0 limit 1`
    if ((await pool.query(sql, [text.toLowerCase()])).rows.length > 0) found.push(`${name}.${column}`)
  }
  return found
}

describe('personal data', () => {
  /** A contact with a text of its own in every field, with notes and visits, created under an Idempotency-Key. */
  async function makeRevealing(client: Client) {
    const secret = `Secret${randomUUID().slice(0, 8)}`
    const sent = {
      name: `${secret} Name`,
      email: `${secret}@x.test`,
      phone: `ask ${secret}`,
      company: `${secret} Ltd`,
      title: `${secret} title`,
      location: `${secret} town`,
      linkedin_profile_url: `https://www.linkedin.com/in/${secret}`,
      source: `${secret} source`,
      custom_fields: { [`${secret}-key`]: [{ deep: `${secret} value` }] },
    }
    const headers = { 'Idempotency-Key': randomUUID() }
    const created = await client.post('/contacts', sent, headers)
    expect(created.status).toBe(201)
    const { id } = created.body.data
    for (const [query, variables] of [
      [ADD_NOTE, { id, note: `${secret} note` }],
      [RECORD_TOUCH, { id, input: { channel: secret, landingUrl: `https://x.test/?${secret}`, gclid: secret } }],
      [RECORD_TOUCH, { id, input: { utmSource: secret, utmMedium: secret, utmCampaign: secret, referrer: secret } }],
    ] as const) {
      expect((await client.graphql(query, variables)).body.errors).toBeUndefined()
    }
    const more = { headline: secret, about: secret, profilePicture: secret, extractedContacts: { emails: [secret] } }
    const changed = await client.graphql(
      'mutation ($id: ID!, $input: UpdateContactInput!) { updateContact(id: $id, input: $input) { id } }',
      { id, input: more },
    )
    expect(changed.body.errors).toBeUndefined()
    return { id, secret, repeat: () => client.post('/contacts', sent, headers), sent }
  }

  test('is nowhere in the database any more', async () => {
    const { client } = await makeTenant(service)
    const { id, secret, repeat } = await makeRevealing(client)
    expect(await placesOf(secret)).toEqual(
      expect.arrayContaining([
        'contact.name',
        'contact.folded',
        'contact.custom_fields',
        'contact.extracted_contacts',
        'contact_note.note',
        'contact_touch.raw',
        'contact_touch.landing_url',
        'idempotency_record.body',
      ]),
    )
    expect((await client.delete(`/contacts/${id}`)).status).toBe(200)
    expect(await placesOf(secret)).toEqual([])
    await repeat()
    expect(await placesOf(secret)).toEqual([])
  })

  test('of other contacts stays, and so do the answers kept for them', async () => {
    const { client } = await makeTenant(service)
    const gone = await makeRevealing(client)
    const kept = await makeRevealing(client)
    const before = await placesOf(kept.secret)
    expect((await client.delete(`/contacts/${gone.id}`)).status).toBe(200)
    expect(await placesOf(kept.secret)).toEqual(before)
    const repeat = await kept.repeat()
    expect([repeat.status, repeat.body.data.id]).toEqual([201, kept.id])
  })

  test('is not brought back by a repeat of the call that created the contact', async () => {
    const { client } = await makeTenant(service)
    const { id, repeat } = await makeRevealing(client)
    expect((await client.delete(`/contacts/${id}`)).status).toBe(200)
    for (let i = 0; i < 2; i++) expect(faultsOf(await repeat())).toEqual({ status: 410, code: 'RESOURCE_DELETED' })
    expect((await client.get('/contacts')).body.pagination.total).toBe(0)
  })

  test('leaves the email free for another contact', async () => {
    const { client } = await makeTenant(service)
    const { id, sent } = await makeRevealing(client)
    expect((await client.post('/contacts', sent)).status).toBe(409)
    expect((await client.delete(`/contacts/${id}`)).status).toBe(200)
    const again = await client.post('/contacts', sent)
    expect(again.status).toBe(201)
    expect(again.body.data.id).not.toBe(id)
  })
})

describe('at the same time', () => {
  test('as nineteen other deletes, one deletes and the others find nothing', async () => {
    const { accountId, client } = await makeTenant(service)
    const { id } = await makeContact(service.database, accountId, { notes: ['called'] })
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.delete(`/contacts/${id}`)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(404)])
  })

  test('as changes, each of them happens before it or finds nothing', async () => {
    const { accountId, client } = await makeTenant(service)
    const tags = [await makeTag(service.database, accountId), await makeTag(service.database, accountId)]
    const seen = new Set<string>()
    for (let round = 0; round < 15; round++) {
      const { id } = await makeContact(service.database, accountId, { tags: [tags[0]!] })
      const path = `/contacts/${id}`
      const rest = [
        client.put(path, { name: 'Eva', tags: [tags[1]!.id] }),
        client.put(path, { email: 'eva@x.test', tags: tags.map(({ id }) => id) }),
        client.get(path),
      ]
      const deleting = client.delete(path)
      const graphql = [
        client.graphql(ADD_NOTE, { id, note: 'called' }),
        client.graphql(RECORD_TOUCH, { id, input: { channel: 'email' } }),
      ]
      for (const { status } of await Promise.all(rest)) seen.add(`REST ${status}`)
      for (const { body } of await Promise.all(graphql)) seen.add(body.errors?.[0].extensions.code ?? 'GraphQL done')
      expect((await deleting).status).toBe(200)
      expect((await client.get(path)).status).toBe(404)
    }
    const allowed = ['GraphQL done', 'NOT_FOUND', 'REST 200', 'REST 404']
    expect([...seen].filter((outcome) => !allowed.includes(outcome))).toEqual([])
    expect(seen).toContain('NOT_FOUND') // the race was one
    const left = await service.database.pool.query(
      `select (select count(*) from contact_note where account_id = $1) + (select count(*) from contact_touch
        where account_id = $1) + (select count(*) from contact_tag where account_id = $1) as count`,
      [accountId],
    )
    expect(left.rows).toEqual([{ count: '0' }])
  })

  test('as repeats of the call that created it, they replay or hear that it is gone', async () => {
    const { client } = await makeTenant(service)
    for (let round = 0; round < 5; round++) {
      const create = () =>
        client.post('/contacts', { name: 'Ana', email: 'ana@x.test' }, { 'Idempotency-Key': `k${round}` })
      const { id } = (await create()).body.data
      const calls = [create(), create(), client.delete(`/contacts/${id}`), create(), create()]
      const [deleted] = (await Promise.all(calls)).splice(2, 1)
      expect(deleted!.status).toBe(200)
      for (const call of calls.toSpliced(2, 1)) expect([201, 410]).toContain((await call).status)
      expect((await create()).status).toBe(410)
      expect((await client.get('/contacts')).body.pagination.total).toBe(0)
    }
  })
})
