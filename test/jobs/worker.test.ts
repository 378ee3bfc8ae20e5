import { assembly } from '../../src/assembly.js'
import type { Database } from '../../src/database/index.js'
import { startWorker, upkeepJobs } from '../../src/jobs/index.js'
import { openIntegrations } from '../../src/open-integrations.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeContact, makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows

async function run(name: string): Promise<void> {
  const job = upkeepJobs(assembly.tallies, 24).find((each) => each.name === name)!
  await job.run(service.database, openIntegrations(service.database, {}))
}

test('the upkeep removes answers that are kept longer than promised, and no others', async () => {
  const { client, accountId } = await makeTenant(service)
  const call = (key: string) => client.post('/contacts', { name: key }, { 'Idempotency-Key': key })
  const kept = () => query('select key from idempotency_record where account_id = $1', [accountId])
  await call('old')
  const old = await kept()
  await query(`update idempotency_record set created_at = now() - interval '25 hours' where account_id = $1`, [
    accountId,
  ])
  await call('new')
  expect(await kept()).toHaveLength(2)
  await run('sweep-idempotency-records')
  expect(await kept()).toHaveLength(1)
  expect(await kept()).not.toEqual(old)
})

test('the upkeep adds up the differences of accounts that have gathered many', async () => {
  const { accountId, client } = await makeTenant(service)
  await makeContact(service.database, accountId)
  await query('insert into contact_tally (account_id, n) select $1, 1 - 2 * (i % 2) from generate_series(1, 1100) i', [
    accountId,
  ])
  await run('compact-tallies')
  const [{ n }] = await query('select count(*)::int as n from contact_tally where account_id = $1', [accountId])
  expect(n).toBe(1)
  expect((await client.get('/contacts')).body.pagination.total).toBe(1)
})

test('a job runs when it is sent, its failure is logged, and stopping waits for nothing else', async () => {
  const ran: Database[] = []
  const logged: unknown[] = []
  const failure = new Error('the job fails')
  const jobs = [
    { name: 'works', cron: '0 0 1 1 *', run: async (database: Database) => void ran.push(database) },
    { name: 'fails', cron: '0 0 1 1 *', run: () => Promise.reject(failure) },
  ]
  const worker = await startWorker({
    database: service.database,
    url: service.databaseUrl,
    integrations: openIntegrations(service.database, {}),
    jobs,
    log: (error) => logged.push(error),
  })
  try {
    for (const { name } of jobs) await worker.send(name)
    const deadline = Date.now() + 25_000
    while ((ran.length === 0 || logged.length === 0) && Date.now() < deadline)
      await new Promise((r) => setTimeout(r, 100))
    expect(ran).toEqual([service.database])
    expect(logged).toContain(failure)
  } finally {
    await worker.stop()
  }
})
