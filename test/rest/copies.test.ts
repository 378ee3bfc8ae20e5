import { sweepReadPositions } from '../../src/database/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Client, createClient } from '../support/client.js'
import { makeConversation } from '../support/factories/conversations.js'
import { makeContact, makeKey, makeTenant, type Tenant } from '../support/factories.js'

let services: TestApp[]
beforeAll(async () => {
  const first = await startTestApp()
  services = [first, await startTestApp({}, undefined, first)]
})
afterAll(async () => {
  for (const service of services.toReversed()) await service.stop()
})

const COPY = '/contacts?updated_after=2000-01-01&sort_by=updated_at&sort_order=asc&limit=3'
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** An account with contacts of these names, each changed later than the one before it. */
async function accountWith(names: string): Promise<Tenant & { ids: Record<string, string> }> {
  const tenant = await makeTenant(services[0]!)
  const ids: Record<string, string> = {}
  for (const name of names) {
    ids[name] = (await makeContact(services[0]!.database, tenant.accountId, { name })).id
    await pause(2)
  }
  return { ...tenant, ids }
}

const namesOf = (body: { data: { name: string }[] }) => body.data.map(({ name }) => name).join('')

async function page(client: Client, number: number, more = '') {
  const { body } = await client.get(`${COPY}&page=${number}${more}`)
  return { names: namesOf(body), ...body.pagination, next_cursor: undefined, warnings: body.warnings }
}

const CHANGES = {
  changed: (client: Client, id: string) => client.put(`/contacts/${id}`, { company: 'Another' }),
  deleted: (client: Client, id: string) => client.delete(`/contacts/${id}`),
}

describe.each(Object.entries(CHANGES))('when a record of page 1 was %s', (what, change) => {
  test('page 2 begins where page 1 ended', async () => {
    const { client, ids } = await accountWith('abcdef')
    expect(await page(client, 1)).toMatchObject({ names: 'abc', total: 6, total_pages: 2, has_next: true })
    expect((await change(client, ids.b!)).status).toBe(200)
    const rest =
      what === 'changed' ? { names: 'def', total: 6, total_pages: 3, has_next: true } : { names: 'def', total: 5 }
    expect(await page(client, 2)).toMatchObject({ ...rest, warnings: undefined })
    if (what === 'changed') expect(await page(client, 3)).toMatchObject({ names: 'b', has_next: false })
  })

  test('the cursor goes on where page 1 ended', async () => {
    const { client, ids } = await accountWith('abcdef')
    const first = (await client.get(COPY)).body
    expect((await change(client, ids.b!)).status).toBe(200)
    const second = (await client.get(`${COPY}&cursor=${first.pagination.next_cursor}`)).body
    expect(namesOf(second)).toBe('def')
    expect(second.pagination).toMatchObject({ page: 2, total: what === 'changed' ? 7 : 6, has_prev: true })
    if (what === 'changed') {
      const third = (await client.get(`${COPY}&cursor=${second.pagination.next_cursor}`)).body
      expect(namesOf(third)).toBe('b')
      expect(third.pagination).toMatchObject({ page: 3, total: 7, has_next: false, next_cursor: null })
    }
  })
})

test('the place is kept for all processes, and of several readers of a key for the one who has come least far', async () => {
  const { client, key, ids } = await accountWith('abcdefghi')
  const beside = createClient(services[1]!.origin, key)
  expect((await page(client, 1)).names).toBe('abc')
  await client.delete(`/contacts/${ids.a}`)
  expect((await page(beside, 1)).names).toBe('bcd')
  await client.delete(`/contacts/${ids.e}`)
  expect(await page(beside, 2)).toMatchObject({ names: 'dfg', warnings: undefined }) // sees d again, rather than miss it
  expect(await page(client, 3)).toMatchObject({ names: 'hi', warnings: undefined, has_next: false })
})

test('another key, size, filter or order has places of its own', async () => {
  const { client, accountId } = await accountWith('abcdefghi')
  const other = createClient(services[0]!.origin, (await makeKey(services[0]!.database, accountId)).secret)
  expect((await page(client, 1)).warnings).toBeUndefined()
  for (const asked of [
    () => page(other, 2),
    () => page(client, 2, '&source=api'),
    () => client.get(`${COPY.replace('limit=3', 'limit=4')}&page=2`).then(({ body }) => body),
    () => client.get(`${COPY.replace('2000', '2001')}&page=2`).then(({ body }) => body),
  ]) {
    expect((await asked()).warnings).toEqual([{ field: 'page', message: expect.stringContaining('`cursor`') }])
  }
  expect((await page(client, 2)).warnings).toBeUndefined()
})

test('a jump is counted, with a warning that names the cursor, and refused to whoever wants no warnings', async () => {
  const { client } = await accountWith('abcdefgh')
  const jumped = await page(client, 3)
  expect(jumped).toMatchObject({ names: 'gh', page: 3, total: 8, total_pages: 3, has_next: false })
  expect(jumped.warnings).toEqual([{ field: 'page', message: expect.stringContaining('`cursor`') }])
  const strict = await client.get(`${COPY}&page=2`, { Prefer: 'handling=strict' })
  expect(strict.status).toBe(400)
  expect(strict.body.error.details).toMatchObject([{ field: 'page' }])
  expect(await page(client, 4)).toMatchObject({ names: '', total: 8, total_pages: 4, warnings: undefined })
})

test('after an empty page, too, the next one begins where that began', async () => {
  const { client, accountId } = await makeTenant(services[0]!)
  expect(await page(client, 1)).toMatchObject({ names: '', total: 0, total_pages: 1, has_next: false })
  await makeContact(services[0]!.database, accountId, { name: 'a' })
  await pause(2)
  expect(await page(client, 2)).toMatchObject({ names: 'a', page: 2, total: 1, total_pages: 2, warnings: undefined })
  expect(await page(client, 3)).toMatchObject({ names: '', total: 1, total_pages: 3, warnings: undefined })
  await makeContact(services[0]!.database, accountId, { name: 'b' })
  await pause(2)
  expect(await page(client, 4)).toMatchObject({ names: 'b', total: 2, has_next: false, warnings: undefined })
})

test('a place is kept for a day, and swept away after it', async () => {
  const { client, accountId } = await accountWith('abcdef')
  const { pool } = services[0]!.database
  const age = (hours: number) =>
    pool.query(`update read_position set hour = hour - make_interval(hours => $2) where account_id = $1`, [
      accountId,
      hours,
    ])
  const kept = async () => (await pool.query('select from read_position where account_id = $1', [accountId])).rowCount
  await page(client, 1)
  await age(23)
  await sweepReadPositions(services[0]!.database)
  expect((await page(client, 2)).warnings).toBeUndefined()
  await age(2)
  expect((await page(client, 2)).warnings).toHaveLength(1)
  await age(25)
  await sweepReadPositions(services[0]!.database)
  expect(await kept()).toBe(0)
})

test('a copy shows all that was written before it was asked for, whenever in a millisecond that was', async () => {
  const { client, accountId } = await makeTenant(services[0]!)
  for (let i = 1; i <= 20; i++) {
    await makeContact(services[0]!.database, accountId)
    const { body } = await client.get(`${COPY}&limit=100`.replace('limit=3&', ''))
    expect(body.data).toHaveLength(i)
  }
})

test('conversations with messages since a time come in the order in which the messages were recorded', async () => {
  const { client, accountId } = await makeTenant(services[0]!)
  const { database } = services[0]!
  const ids: string[] = []
  for (let i = 0; i < 4; i++) ids.push((await makeConversation(database, accountId)).id)
  const [a, b, c] = ids as [string, string, string, string]
  const say = async (id: string, sentAt: string) => {
    await database.pool.query(
      `insert into message (id, account_id, conversation_id, sender_type, content, channel, sent_at)
       values (gen_random_uuid(), $1, $2, 'lead', 'Hello', 'WHATSAPP', $3)`,
      [accountId, id, sentAt],
    )
    await pause(2)
  }
  const before = new Date(Date.now() - 1000).toISOString()
  for (const [id, sentAt] of [
    [c, '2020-01-01'],
    [a, '2030-01-01'],
    [b, '2010-01-01'],
    [c, '2000-01-01'],
  ] as const) {
    await say(id, sentAt) // the provider's time, whatever it is
  }
  const list = (more: string) => client.get(`/conversations?last_message_after=${before}${more}`)
  const { body } = await list('')
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([a, b, c])
  for (const { last_message_at } of body.data) expect(last_message_at > before).toBe(true)
  const first = (await list('&limit=2')).body
  await say(a, '2020-01-01')
  const second = (await list(`&limit=2&cursor=${first.pagination.next_cursor}`)).body
  expect(second.data.map(({ id }: { id: string }) => id)).toEqual([c, a])
  expect(await list('&limit=2&page=2').then(({ body }) => body)).toMatchObject({ data: [{ id: c }, { id: a }] })
  const byCreation = await list('&sort_by=created_at&sort_order=asc')
  expect(byCreation.body.data.map(({ id }: { id: string }) => id)).toEqual([a, b, c])
  const odd = await list('&sort_by=subject')
  expect(odd.body.warnings).toMatchObject([{ field: 'sort_by' }])
})
