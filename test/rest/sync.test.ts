import { startTestApp, type TestApp } from '../support/app.js'
import { makeContact, makeTenant, type Tenant } from '../support/factories.js'

const FULL = process.env.FULL === 'true'
const WRITERS = 8
const WRITE_MS = FULL ? 30_000 : 4000

let service: TestApp
beforeAll(async () => {
  service = await startTestApp({ poolSize: 20 })
})
afterAll(() => service.stop())

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Reads on from a time of change as a copying integrator would: page by page, and again from the last one seen. */
async function readOn({ client }: Tenant, from: string, seen: Map<string, string>): Promise<string> {
  let last = from
  for (let page = 1; ; page++) {
    const query = `updated_after=${encodeURIComponent(from)}&sort_by=updated_at&sort_order=asc&limit=100&page=${page}`
    const { body } = await client.get(`/contacts?${query}`)
    for (const { id, updated_at } of body.data) {
      if (updated_at > (seen.get(id) ?? '')) seen.set(id, updated_at)
      last = updated_at
    }
    if (!body.pagination.has_next) return last
  }
}

/** Creates or changes a contact in a transaction that commits only after a while. */
async function writeSlowly(accountId: string, ids: string[]): Promise<void> {
  const client = await service.database.pool.connect()
  try {
    await client.query('begin')
    const known = ids[Math.floor(Math.random() * ids.length)]
    const { rows } =
      known && Math.random() < 0.5
        ? await client.query(`update contact set company = gen_random_uuid()::text where id = $1 returning id`, [known])
        : await client.query(
            `insert into contact (id, account_id, name) values (gen_random_uuid(), $1, 'x') returning id`,
            [accountId],
          )
    await pause(Math.random() * 60)
    await client.query('commit')
    ids.push(rows[0].id)
  } finally {
    client.release()
  }
}

test('a reader who goes on from the last time of change misses nothing that slow writers commit', async () => {
  const tenant = await makeTenant(service)
  const { accountId } = tenant
  const ids: string[] = []
  const seen = new Map<string, string>()
  const until = Date.now() + WRITE_MS
  const writers = Array.from({ length: WRITERS }, async () => {
    while (Date.now() < until) await writeSlowly(accountId, ids)
  })
  let from = '2000-01-01T00:00:00.000Z'
  const reader = (async () => {
    while (Date.now() < until) from = await readOn(tenant, from, seen)
  })()
  await Promise.all([...writers, reader])
  await pause(5)
  await readOn(tenant, from, seen)

  const { rows } = await service.database.pool.query(
    `select id, to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from contact where account_id = $1`,
    [accountId],
  )
  expect(rows.length).toBeGreaterThan(WRITERS)
  const missed = rows.filter(({ id, at }) => seen.get(id) !== at)
  expect(missed).toEqual([])
}, 60_000)

test('a sync read waits for older writers of its account only, other lists do not wait', async () => {
  const [tenant, other] = [await makeTenant(service), await makeTenant(service)]
  const slow = await service.database.pool.connect()
  try {
    await slow.query('begin')
    await slow.query(`insert into contact (id, account_id, name) values (gen_random_uuid(), $1, 'slow')`, [
      tenant.accountId,
    ])
    await pause(5)
    const [mine, theirs] = [
      await makeContact(service.database, tenant.accountId),
      await makeContact(service.database, other.accountId),
    ]
    await pause(5)
    const sync = '/contacts?updated_after=2000-01-01&sort_by=updated_at&sort_order=asc'
    const idsOf = async ({ client }: Tenant, path: string) =>
      (await client.get(path)).body.data.map(({ id }: { id: string }) => id)
    expect(await idsOf(tenant, sync)).toEqual([])
    expect(await idsOf(other, sync)).toEqual([theirs.id])
    expect(await idsOf(tenant, '/contacts')).toEqual([mine.id])
    expect(await idsOf(tenant, '/contacts?updated_after=2000-01-01&sort_by=updated_at')).toEqual([mine.id])
    await slow.query('commit')
    await pause(5)
    expect(await idsOf(tenant, sync)).toContain(mine.id)
    expect(await idsOf(tenant, sync)).toHaveLength(2)
  } finally {
    slow.release()
  }
})

test.each([999, 1000, 1001, 1100])('a reader who begins finds all of %i records, each once', async (count) => {
  const tenant = await makeTenant(service)
  const insert = `insert into contact (id, account_id, name, source)
    select gen_random_uuid(), $1, 'Contact ' || n, case when n % 2 = 0 then 'even' else 'odd' end
    from generate_series(1, $2) n`
  await service.database.pool.query(insert, [tenant.accountId, count])
  const seen = new Map<string, string>()
  await readOn(tenant, '2020-01-01', seen)
  expect(seen.size).toBe(count)
  const { body } = await tenant.client.get('/contacts?updated_after=2020-01-01&source=EVEN&limit=1&page=3')
  expect(body.pagination.total).toBe(Math.floor(count / 2))
  expect(body.data).toHaveLength(1)
})

test('a copy tells how many records there are in all, however many of the account are younger or older', async () => {
  const tenant = await makeTenant(service)
  const { pool } = service.database
  await pool.query(
    `insert into contact (id, account_id, name, source)
     select gen_random_uuid(), $1, 'Contact ' || n, case when n % 3 = 0 then 'third' else 'other' end
     from generate_series(1, 3000) n`,
    [tenant.accountId],
  )
  await pool.query('delete from contact where account_id = $1 and id::text like $2', [tenant.accountId, '0%'])
  const { rows } = await pool.query(
    'select updated_at as at, source from contact where account_id = $1 order by updated_at, id',
    [tenant.accountId],
  )
  for (const place of [0, 1, 1000, rows.length - 1001, rows.length - 1000, rows.length - 1]) {
    for (const source of [undefined, 'third']) {
      const of = rows.filter((row) => row.at >= rows[place].at && (!source || row.source === source))
      const query = `updated_after=${rows[place].at}&sort_by=updated_at&sort_order=asc${source ? `&source=${source}` : ''}`
      for (const page of [1, 2]) {
        const { body } = await tenant.client.get(`/contacts?${query}&limit=7&page=${page}`)
        const total_pages = Math.max(page, Math.ceil(of.length / 7))
        expect({ place, source, ...body.pagination }).toMatchObject({ place, source, total: of.length, total_pages })
      }
    }
  }
  const none = await tenant.client.get('/contacts?updated_after=2100-01-01&sort_by=updated_at&sort_order=asc')
  expect(none.body).toMatchObject({ data: [], pagination: { total: 0 } })
})
