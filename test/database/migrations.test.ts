import { migrations } from '../../src/database/migrations/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeRule } from '../support/factories/pipelines.js'
import { makeUser } from '../support/factories/users.js'
import { makeKey, makeTenant } from '../support/factories.js'

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

test('turns go on where they were when members came to have counts of their own', async () => {
  const own = await startTestApp()
  try {
    const { pool, orm } = own.database
    const { accountId } = await makeTenant(own)
    const users = await Promise.all(
      [true, false, true, true].map((isActive) => makeUser(own.database, accountId, { isActive })),
    )
    const ids = users.map(({ id }) => id)
    const { id } = await makeRule(own.database, accountId, { userIds: ids })
    const later = migrations.length - migrations.findIndex(({ name }) => name === 'M0018_turns_of_members')
    for (let i = 0; i < later; i++) await orm.migrator.down()
    await pool.query('update round_robin_rule set turn = 5 where id = $1', [id]) // a and c have had two, d one
    await orm.migrator.up()
    const owners: string[] = []
    for (let i = 0; i < 4; i++) {
      const { rows } = await pool.query('select owner from take_turn($1, null, null, null)', [accountId])
      owners.push(rows[0].owner)
    }
    expect(owners).toEqual([ids[3], ids[0], ids[2], ids[3]])
  } finally {
    await own.stop()
  }
})

test('owners became admins, and keys that managed users still do', async () => {
  const own = await startTestApp()
  try {
    const { pool, orm } = own.database
    const granted = [
      ['settings:write'],
      ['settings:*', 'tags:read'],
      ['settings:write', 'users:*'],
      ['*'],
      ['tags:read'],
    ]
    const tenant = await makeTenant(own)
    for (const permissions of granted) await makeKey(own.database, tenant.accountId, { permissions })
    const later = migrations.length - migrations.findIndex(({ name }) => name === 'M0020_roles')
    for (let i = 0; i < later; i++) await orm.migrator.down()
    const roles = () => pool.query('select role from app_user').then(({ rows }) => rows.map(({ role }) => role))
    expect(await roles()).toEqual(['owner'])
    await orm.migrator.up()
    expect(await roles()).toEqual(['admin'])
    const { rows } = await pool.query('select permissions from api_key order by id offset 1')
    expect(rows.map(({ permissions }) => permissions)).toEqual([
      ['settings:write', 'users:write'],
      ['settings:*', 'tags:read', 'users:write'],
      ...granted.slice(2),
    ])
  } finally {
    await own.stop()
  }
})
