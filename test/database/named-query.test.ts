import type pg from 'pg'
import { prepareText } from '../../src/database/prepare.js'
import { startTestApp, type TestApp } from '../support/app.js'

let service: TestApp
let client: pg.PoolClient
beforeAll(async () => {
  service = await startTestApp()
  client = await service.database.pool.connect()
})
afterAll(async () => {
  client.release()
  await service.stop()
})

/** Runs a statement three times as a prepared one: the driver describes the first run alone. */
const thrice = async (text: string, values: unknown[] = []) => {
  prepareText(text)
  const results: pg.QueryResult[] = []
  for (let i = 0; i < 3; i++) results.push(await client.query(text, values))
  return results
}

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
  prepareText(text)
  for (let i = 0; i < 2; i++) {
    const ends = await Promise.allSettled([1, 2, 0, 3].map((by) => client.query(text, [by])))
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
  prepareText(text)
  const whoAsked = async () => await client.query(text, [0])
  for (let i = 0; i < 2; i++) {
    const error = await whoAsked().catch((error: Error) => error)
    expect((error as Error).stack).toContain('whoAsked')
  }
})

test('a value that cannot be read fails its run and no other', async () => {
  const text = 'select $1::timestamptz as at'
  prepareText(text)
  for (let i = 0; i < 2; i++) {
    expect((await client.query(text, ['2026-01-31T09:30:00Z'])).rows).toEqual([{ at: '2026-01-31T09:30:00.000Z' }])
    await expect(client.query(text, ['infinity'])).rejects.toThrow('Invalid time value')
  }
})

test('a statement whose rows would have become others is refused, not misread', async () => {
  await client.query('create temporary table shape (a int, b int); insert into shape values (1, 2)')
  const text = 'select * from shape'
  expect((await thrice(text)).map(({ rows }) => rows)).toEqual(Array(3).fill([{ a: 1, b: 2 }]))
  await client.query('alter table shape drop column a; alter table shape add column c text')
  await expect(client.query(text)).rejects.toThrow('cached plan must not change result type')
})
