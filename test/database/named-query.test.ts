import { createRequire } from 'node:module'
import type pg from 'pg'
import { PROVEN_ON_PG } from '../../src/database/named-query.js'
import { MAX_KEPT_WHILE_USED, nameOf } from '../../src/database/prepare.js'
import { startTestApp, type TestApp } from '../support/app.js'

let service: TestApp
let client: pg.PoolClient
beforeAll(async () => {
  service = await startTestApp()
  client = await service.database.requests.pool.connect()
})
afterAll(async () => {
  client.release()
  await service.stop()
})

/** Runs a statement as a prepared one. */
const run = (text: string, values: unknown[] = [], keep = 'for good'): Promise<pg.QueryResult> => {
  const query = { text, values, keep, name: nameOf(text) }
  return client.query(query)
}

/** Runs it three times: the first alone is described. */
const thrice = async (text: string, values: unknown[] = []) => {
  const results: pg.QueryResult[] = []
  for (let i = 0; i < 3; i++) results.push(await run(text, values))
  return results
}

/** The statements that PostgreSQL keeps for the connection. */
const kept = async () => {
  const { rows } = await client.query<{ statement: string }>('select statement from pg_prepared_statements')
  return rows.map(({ statement }) => statement)
}

test('the driver is the version that the runs were proven on', () => {
  // On another one: see whether this file's tests hold, read what named-query.ts says, and only then change its constant.
  expect(createRequire(import.meta.url)('pg/package.json').version).toBe(PROVEN_ON_PG)
})

test('each run of a prepared statement reads its rows as the driver does', async () => {
  const text = `select n, n::text as "a ""name""", null as nothing, n / 2.0::float8 as half, n > 1 as more,
    json_build_object('n', n) as object, array[n, null] as list, timestamptz '2026-01-31 09:30:00.12+00' as at
    from generate_series($1::int, 2) n`
  const plain = await client.query({ text: `${text} -- by the driver alone`, values: [1] })
  for (const result of await thrice(text, [1])) {
    expect(result.rows).toEqual(plain.rows)
    expect(result.rowCount).toBe(2)
    expect(result.command).toBe('SELECT')
    expect(result.fields.map(({ name }) => name)).toEqual(plain.fields.map(({ name }) => name))
  }
})

test('rows without columns, and statements without rows, count', async () => {
  for (const { rows, rowCount } of await thrice('select from generate_series(1, 3)')) {
    expect(rows).toEqual([{}, {}, {}])
    expect(rowCount).toBe(3)
  }
  await client.query('create temporary table number (n int)')
  for (const result of await thrice('insert into number select generate_series(1, 2)')) {
    expect(result).toMatchObject({ rows: [], rowCount: 2, command: 'INSERT' })
  }
})

test('runs may be sent one after the other without waiting, and one that fails is the only one', async () => {
  const text = 'select 6 / $1::int as share'
  for (let i = 0; i < 2; i++) {
    const ends = await Promise.allSettled([1, 2, 0, 3].map((by) => run(text, [by])))
    expect(ends.map((end) => (end.status === 'fulfilled' ? end.value.rows : end.reason.code))).toEqual([
      [{ share: 6 }],
      [{ share: 3 }],
      '22012',
      [{ share: 2 }],
    ])
  }
})

test('a failure tells who asked', async () => {
  const text = 'select 1 / $1::int as never'
  const whoAsked = async () => await run(text, [0])
  for (let i = 0; i < 2; i++) {
    const error = await whoAsked().catch((error: Error) => error)
    expect((error as Error).stack).toContain('whoAsked')
  }
})

test('a value that cannot be read fails its run and no other', async () => {
  const text = 'select $1::timestamptz as at'
  for (let i = 0; i < 2; i++) {
    expect((await run(text, ['2026-01-31T09:30:00Z'])).rows).toEqual([{ at: '2026-01-31T09:30:00.000Z' }])
    await expect(run(text, ['infinity'])).rejects.toThrow('Invalid time value')
  }
})

test('a statement whose rows would have become others is refused, not misread', async () => {
  await client.query('create temporary table shape (a int, b int); insert into shape values (1, 2)')
  const text = 'select * from shape'
  expect((await thrice(text)).map(({ rows }) => rows)).toEqual(Array(3).fill([{ a: 1, b: 2 }]))
  await client.query('alter table shape drop column a; alter table shape add column c text')
  await expect(run(text)).rejects.toThrow('cached plan must not change result type')
})

test('what is not used often enough is dropped, by the driver and by PostgreSQL, and comes back when it is asked for', async () => {
  const text = (i: number) => `select ${i}::int as number, $1::text as given`
  const before = (await kept()).length
  const often = async (i: number) => {
    for (let times = 0; times < 4; times++) {
      expect((await run(text(i), [`${i}`], 'while used')).rows).toEqual([{ number: i, given: `${i}` }])
    }
  }
  for (let i = 0; i < MAX_KEPT_WHILE_USED + 50; i++) await often(i)
  const texts = await kept()
  expect(texts.length).toBe(before + MAX_KEPT_WHILE_USED)
  expect(texts).not.toContain(text(0))
  await often(0)
  expect(await kept()).toContain(text(0))
})

test('a statement is dropped in a failed transaction too', async () => {
  const before = (await kept()).length
  const text = (i: number) => `select ${i}::int as other, $1::text as given`
  for (let i = 0; i < 200; i++) {
    await client.query('begin')
    if (i % 2) await client.query('select 1 / 0').catch(() => {})
    for (let times = 0; times < 4; times++) await run(text(i), ['x'], 'while used').catch(() => {})
    await client.query('rollback')
    expect((await run(text(i), ['y'], 'while used')).rows).toEqual([{ other: i, given: 'y' }])
  }
  expect((await kept()).length).toBeLessThanOrEqual(before + MAX_KEPT_WHILE_USED)
})

test('what was dropped and what stays may be on its way at once', async () => {
  const text = (i: number) => `select ${i}::int as crowd, $1::text as given`
  const numbers = Array.from({ length: 300 }, (_, i) => i)
  for (let times = 0; times < 6; times++) {
    const results = await Promise.all(numbers.map((i) => run(text(i), ['z'], 'while used')))
    expect(results.map(({ rows }) => rows[0].crowd)).toEqual(numbers)
  }
})

test('what is kept for good is not dropped for others', async () => {
  const text = 'select $1::text as precious'
  await run(text, ['a'], 'for good')
  for (let i = 0; i < 200; i++) {
    for (let times = 0; times < 4; times++) await run(`select ${i}::int as flood`, [], 'while used')
  }
  expect(await kept()).toContain(text)
})
