import { migrations } from '../../src/database/migrations/index.js'
import { startTestApp, type TestApp } from '../support/app.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

/** Columns, indexes, constraints, triggers, functions and policies of the database, as texts in order. */
async function schemaOf(): Promise<string[]> {
  const { rows } = await service.database.pool.query<{ line: string }>(`
    select concat_ws(' ', 'column', table_name, column_name, data_type, is_nullable, column_default) as line
      from information_schema.columns where table_schema = 'public'
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
      where connamespace = 'public'::regnamespace
    union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all select proname || ' ' || md5(prosrc) from pg_proc where pronamespace = 'public'::regnamespace
    union all select concat_ws(' ', 'policy', tablename, policyname, qual) from pg_policies
    order by 1`)
  return rows.map(({ line }) => line)
}

test('each migration can be taken back, from the last to the first, and applied again', async () => {
  const { migrator } = service.database.orm
  const names = migrations.map(({ name }) => name)
  const before = await schemaOf()
  for (const name of names.toReversed()) {
    expect((await migrator.down()).map((one) => one.name)).toEqual([name])
  }
  expect((await schemaOf()).length).toBeLessThan(before.length / 2)
  expect((await migrator.up()).map((one) => one.name)).toEqual(names)
  expect(await schemaOf()).toEqual(before)
})
