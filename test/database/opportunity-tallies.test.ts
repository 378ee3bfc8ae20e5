import { compactAll, type Tally, tableOf } from '../../src/database/index.js'
import { compactTally } from '../../src/database/tally/index.js'
import { opportunityDayTally, opportunityMonthTally } from '../../src/domains/opportunities/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { expectTalliesRight, TALLIES, talliedAccount } from '../support/tallies.js'

const READING_MS = process.env.FULL === 'true' ? 10_000 : 1000
const NAMED = TALLIES.map((tally) => [tally.name, tally] as const)

let service: TestApp
beforeAll(async () => {
  service = await startTestApp({ poolSize: 20 })
})
afterAll(() => service.stop())

const scene = () => talliedAccount(service)
const expectRight = () => expectTalliesRight(service)

const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows

/** The rows of a tally with the place where each is stored: a row that was written anew has another one. */
const rowsOf = (tally: Tally, accountId: string) =>
  query(
    `select ctid::text || ' ' || xmin::text as place, fresh, n::int, value::float8, outcome, sector_id as sector
    from ${tableOf(tally)} where account_id = $1 order by sector_id nulls first, outcome, fresh, n`,
    [accountId],
  )

const compact = (tally: Tally, accountId: string) => compactTally(service.database.pool, tally, accountId)

const at = (iso: string) => new Date(iso)
const JANUARY = at('2026-01-31T23:59:59.999Z')

describe.each(NAMED)('a compaction of %s', (_, tally) => {
  test('adds up what is fresh with what was compacted, and leaves other combinations alone', async () => {
    const { accountId, sectors, put } = await scene()
    const [inside, field] = sectors.map(({ id }) => id)
    for (const sectorId of [inside, inside, field, field]) await put({ sectorId, value: 1.5, createdAt: JANUARY })
    await compact(tally, accountId)
    const before = await rowsOf(tally, accountId)
    expect(before.map(({ sector, n, value, fresh }) => ({ sector, n, value, fresh }))).toEqual([
      { sector: inside, n: 2, value: 3, fresh: false },
      { sector: field, n: 2, value: 3, fresh: false },
    ])
    await compact(tally, accountId)
    expect(await rowsOf(tally, accountId)).toEqual(before) // nothing was fresh, so nothing was written

    await put({ sectorId: field, value: 0.25, createdAt: JANUARY })
    await put({ sectorId: null, value: 7, createdAt: JANUARY })
    expect((await rowsOf(tally, accountId)).filter(({ fresh }) => fresh)).toHaveLength(2)
    await compact(tally, accountId)
    const place = expect.any(String)
    expect(await rowsOf(tally, accountId)).toEqual([
      { place, fresh: false, n: 1, value: 7, outcome: 'open', sector: null },
      before[0],
      { place, fresh: false, n: 3, value: 3.25, outcome: 'open', sector: field },
    ])
    await expectRight()
  })

  test('removes combinations that nothing is left of', async () => {
    const { accountId, sectors, put } = await scene()
    const [inside, field] = sectors.map(({ id }) => id)
    const deal = await put({ sectorId: inside, value: 10, createdAt: JANUARY })
    await compact(tally, accountId)
    await query('update opportunity set sector_id = $2 where id = $1', [deal.id, field])
    expect(await rowsOf(tally, accountId)).toHaveLength(3)
    await compact(tally, accountId)
    expect(await rowsOf(tally, accountId)).toMatchObject([{ sector: field, n: 1, value: 10, fresh: false }])
    await query('delete from opportunity where id = $1', [deal.id])
    await compact(tally, accountId)
    expect(await rowsOf(tally, accountId)).toEqual([])
  })

  test('keeps a combination whose count is the same and whose value is another', async () => {
    const { accountId, put } = await scene()
    const deal = await put({ value: 10, createdAt: JANUARY })
    await compact(tally, accountId)
    await query('update opportunity set value = 11.11 where id = $1', [deal.id])
    expect(await rowsOf(tally, accountId)).toMatchObject([
      { n: 1, value: 10, fresh: false },
      { n: 0, value: 1.11, fresh: true },
    ])
    await compact(tally, accountId)
    expect(await rowsOf(tally, accountId)).toMatchObject([{ n: 1, value: 11.11, fresh: false }])
  })

  test('touches no other account', async () => {
    const [mine, other] = [await scene(), await scene()]
    await mine.put()
    await other.put()
    const before = await rowsOf(tally, other.accountId)
    await compact(tally, mine.accountId)
    expect(await rowsOf(tally, other.accountId)).toEqual(before)
    expect(before).toMatchObject([{ fresh: true }])
  })

  test('comes to all accounts that have gathered more fresh rows than so many', async () => {
    const [busy, idle] = [await scene(), await scene()]
    for (let i = 0; i < 4; i++) await busy.put()
    for (let i = 0; i < 3; i++) await idle.put()
    await compactAll(service.database.pool, tally, 3)
    expect(await rowsOf(tally, busy.accountId)).toMatchObject([{ n: 4, fresh: false }])
    expect(await rowsOf(tally, idle.accountId)).toHaveLength(3)
    await busy.put() // what was compacted does not count
    await compactAll(service.database.pool, tally, 3)
    expect(await rowsOf(tally, busy.accountId)).toHaveLength(2)
  })
})

test('a change that touches no dimension and no value leaves no difference', async () => {
  const { accountId, client, put } = await scene()
  const { id } = await put({ value: 10 })
  expect((await client.put(`/opportunities/${id}`, { notes: 'Called.', score: 7 })).status).toBe(200)
  for (const tally of TALLIES) expect(await rowsOf(tally, accountId)).toHaveLength(1)
})

test('days and months of the tallies are those of UTC, whatever the time zone of who writes', async () => {
  const { accountId, put } = await scene()
  const { id } = await put({ createdAt: JANUARY })
  const { id: next } = await put({ createdAt: at('2026-02-01T00:00:00.000Z') })
  const client = await service.database.pool.connect()
  try {
    await client.query(`begin; set local timezone = 'Pacific/Kiritimati'`)
    await client.query(`update opportunity set owner_user_id = null, value = value + 1 where id = any($1)`, [
      [id, next],
    ])
    await client.query('commit')
  } finally {
    client.release()
  }
  const places = (tally: Tally, column: string) =>
    query(
      `select ${column}::text as place, sum(n)::int as n, sum(value)::int as value from ${tableOf(tally)}
      where account_id = $1 group by 1 order by 1`,
      [accountId],
    )
  expect(await places(opportunityDayTally, 'day')).toEqual([
    { place: '2026-01-31', n: 1, value: 1 },
    { place: '2026-02-01', n: 1, value: 1 },
  ])
  expect(await places(opportunityMonthTally, 'month')).toEqual([
    { place: '2026-01-01', n: 1, value: 1 },
    { place: '2026-02-01', n: 1, value: 1 },
  ])
  await expectRight()
})

test('what is read while differences come and are compacted is exact at every moment', async () => {
  const { accountId, client, owners, put } = await scene()
  await put({ ownerUserId: owners[0]!.id, value: 12.34, createdAt: JANUARY })
  const until = Date.now() + READING_MS
  const again = async (work: () => Promise<unknown>) => {
    while (Date.now() < until) await work()
  }
  // One comes and goes in a transaction, or changes hands and value to and fro: nobody else may see anything of it.
  const flicker = async () => {
    const connection = await service.database.pool.connect()
    try {
      await connection.query('begin')
      const set = (owner: string, value: number) =>
        connection.query('update opportunity set owner_user_id = $2, value = $3 where account_id = $1', [
          accountId,
          owner,
          value,
        ])
      await set(owners[1]!.id, 99)
      await set(owners[0]!.id, 12.34)
      await connection.query('commit')
    } finally {
      connection.release()
    }
  }
  const seen = new Set<string>()
  const read = async () => {
    for (const span of ['', '?from=2026-01-01&to=2026-01-31', '?from=2026-01-31&to=2026-02-02']) {
      const { data } = (await client.get(`/reports/sales-summary${span}`)).body
      const { body } = await client.get(`/reports/sellers${span}`)
      seen.add(JSON.stringify([data.open, data.won, body.data.length, body.data[0]?.owner_user_id]))
    }
  }
  const compactions = TALLIES.map((tally) => () => compact(tally, accountId))
  await Promise.all([flicker, flicker, read, read, ...compactions].map(again))
  const open = { count: 1, value: 12.34 }
  expect([...seen]).toEqual([JSON.stringify([open, { count: 0, value: 0 }, 1, owners[0]!.id])])
  await expectRight()
})
