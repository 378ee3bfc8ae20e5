import { jest } from '@jest/globals'
import { assembly } from '../../../src/assembly.js'
import { startTestApp, type TestApp } from '../../support/app.js'
import { makeTenant } from '../../support/factories.js'
import { run as runWith } from './run.js'

// Each command is a real process: a second each, and many on a busy machine.
jest.setTimeout(120_000)

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const run = (...args: string[]) => runWith(args, { DATABASE_URL: service.databaseUrl })

test('seed fills an account, and says on stdout how many rows it were, as one JSON object with --json', async () => {
  const { accountId, client } = await makeTenant(service)
  const { code, stdout } = await run('seed', '--account', accountId, '--contacts', '30', '--notes', '1', '--json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual({
    rows: 20 + 30 + 60 + 30,
    seconds: expect.any(Number),
    rows_per_second: expect.any(Number),
  })
  expect((await client.get('/contacts')).body.pagination.total).toBe(30)
  expect((await run('seed', '--account', accountId, '--contacts', '3', '--seed', '2')).stdout).toMatch(/^\d+ rows in/)
})

test('seed takes opportunities too, with their history when it is asked for', async () => {
  const { accountId } = await makeTenant(service)
  const amounts = ['--contacts', '5', '--notes', '0', '--opportunities', '40']
  const { code, stdout } = await run('seed', '--account', accountId, ...amounts, '--history', '--json')
  expect(code).toBe(0)
  const { rows } = await service.database.pool.query(
    `select (select count(*)::int from opportunity where account_id = $1) as opportunities,
       (select count(*)::int from opportunity_history where account_id = $1) as history`,
    [accountId],
  )
  expect(rows[0].opportunities).toBe(40)
  expect(rows[0].history).toBeGreaterThan(40)
  expect(JSON.parse(stdout).rows).toBe(20 + 5 + 10 + 34 + 40 + rows[0].history)
})

test('seed refuses what it cannot do, and tells failure from misuse', async () => {
  const { accountId } = await makeTenant(service)
  expect(await run('seed', '--account', 'nobody', '--contacts', '3')).toMatchObject({ code: 1, stdout: '' })
  expect(await run('seed', '--account', accountId, '--contacts', 'many')).toMatchObject({ code: 2, stdout: '' })
  const some = ['seed', '--account', accountId, '--contacts', '1']
  expect(await run(...some, '--opportunities', '-1')).toMatchObject({ code: 2, stdout: '' })
  expect(await run('seed', '--account', accountId)).toMatchObject({ code: 2, stdout: '' })
})

test('tally verify ends with 0 while the kept totals are right, and with 1 and the difference when one is not', async () => {
  const { accountId, client } = await makeTenant(service)
  await client.post('/contacts', { name: 'Ana' })
  const right = assembly.tallies.map(({ name }) => `${name}: right\n`).join('')
  expect(await run('tally', 'verify')).toMatchObject({ code: 0, stdout: right })
  const wrong = 'insert into contact_tally (account_id, n) values ($1, 1)'
  await service.database.pool.query(wrong, [accountId])
  const { code, stdout } = await run('tally', 'verify', '--json')
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toEqual({
    tallies: assembly.tallies.map(({ name }) => ({
      name,
      mismatches: name === 'contact' ? [{ account_id: accountId, kept_n: '2', true_n: '1' }] : [],
    })),
  })
})
