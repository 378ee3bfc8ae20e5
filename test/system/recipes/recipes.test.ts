import { createDatabase } from '../../support/cluster.js'
import { addNickname } from './nickname.js'
import { Scratch } from './scratch.js'
import { TERRITORY } from './territory.js'

// The counts are those that CONTRIBUTING.md promises; what is emitted by `npm run schema` is not counted.
const MOST_FOR_A_RECORD = 6
const MOST_FOR_A_FIELD = 4

let scratch: Scratch
beforeEach(() => {
  scratch = new Scratch()
})
afterEach(() => scratch.remove())

type Call = (method: string, path: string, body?: object) => Promise<{ status: number; body: Record<string, never> }>

/** Runs the copy's server with a key that may do everything. */
async function serving(work: (call: Call) => Promise<void>): Promise<void> {
  const database = await createDatabase()
  try {
    scratch.command(database.url, 'migrate', '--json')
    const { account_id } = scratch.command(database.url, 'account', 'create', '--name', 'Recipes', '--json')
    const created = ['key', 'create', '--account', account_id!, '--name', 'all', '--permissions', '*', '--json']
    const { key } = scratch.command(database.url, ...created)
    const server = scratch.serve(database.url)
    try {
      const origin = new URL(await server.prints(/REST +(\S+)/)).origin
      await work(async (method, path, body) => {
        const headers = { 'X-API-Key': key!, ...(body && { 'Content-Type': 'application/json' }) }
        const answer = await fetch(origin + path, { method, headers, body: body && JSON.stringify(body) })
        return { status: answer.status, body: (await answer.json()) as Record<string, never> }
      })
    } finally {
      server.child.kill('SIGTERM')
      await server.finished
    }
  } finally {
    await database.drop()
  }
}

test('a small record takes six files, over REST and GraphQL', async () => {
  for (const [file, text] of Object.entries(TERRITORY.files)) scratch.write(file, text)
  for (const [before, text] of TERRITORY.manifest) scratch.insert('src/domains/reference/index.ts', before, text)
  expect(scratch.touched.size).toBeLessThanOrEqual(MOST_FOR_A_RECORD)
  scratch.build()

  await serving(async (call) => {
    const base = '/external/v1/territories'
    const created = await call('POST', base, { name: 'South', code: 'S1' })
    expect(created).toMatchObject({ status: 201, body: { success: true, data: { name: 'South', code: 'S1' } } })
    const { id } = created.body.data as unknown as { id: string }
    expect(await call('POST', base, { name: 'south' })).toMatchObject({ status: 409 })
    expect(await call('POST', base, { name: '' })).toMatchObject({ status: 400 })
    expect(await call('PUT', `${base}/${id}`, { code: null })).toMatchObject({
      status: 200,
      body: { data: { code: null } },
    })
    expect(await call('GET', `${base}/${id}`)).toMatchObject({ status: 200, body: { data: { id, name: 'South' } } })
    expect(await call('GET', `${base}?search=sou`)).toMatchObject({
      body: { data: [{ id }], pagination: { total: 1 } },
    })
    const query = '{ territories { items { id name } pagination { total } } }'
    expect(await call('POST', '/graphql', { query })).toMatchObject({
      body: { data: { territories: { items: [{ id, name: 'South' }], pagination: { total: 1 } } } },
    })
    expect(await call('DELETE', `${base}/${id}`)).toMatchObject({ status: 200, body: { data: { id, deleted: true } } })
    expect(await call('GET', `${base}/${id}`)).toMatchObject({ status: 404 })
    expect((await call('GET', '/openapi.json')).body.paths).toHaveProperty('/territories/{id}')
  })
}, 180_000)

test('a field of contacts takes four files', async () => {
  addNickname(scratch)
  expect(scratch.touched.size).toBeLessThanOrEqual(MOST_FOR_A_FIELD)
  scratch.build()

  await serving(async (call) => {
    const query = 'mutation { createContact(input: { name: "Ana", nickname: "Aninha" }) { id nickname } }'
    const { data } = (await call('POST', '/graphql', { query })).body as unknown as {
      data: { createContact: { id: string; nickname: string } }
    }
    expect(data.createContact.nickname).toBe('Aninha')
    const { id } = data.createContact
    const before = await call('GET', `/external/v1/contacts/${id}`)
    expect(before).toMatchObject({ body: { data: { nickname: 'Aninha' } } })
    const change = `mutation { updateContact(id: "${id}", input: { nickname: "Nina" }) { nickname } }`
    expect(await call('POST', '/graphql', { query: change })).toMatchObject({
      body: { data: { updateContact: { nickname: 'Nina' } } },
    })
    const after = await call('GET', '/external/v1/contacts')
    expect(after).toMatchObject({ body: { data: [{ id, nickname: 'Nina' }] } })
    const updatedAt = ({ body }: typeof after) => {
      const data = body.data as unknown
      return (Array.isArray(data) ? data[0] : data).updated_at as string
    }
    expect(updatedAt(after) > updatedAt(before)).toBe(true)
  })
}, 180_000)
