import { assembly } from '../../src/assembly.js'
import { openIntegrations } from '../../src/open-integrations.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { makePerson, signIn } from '../support/factories/people.js'
import { dataOf } from '../support/graphql.js'
import { Mailbox, tellAll } from '../support/mail.js'

let mailbox: Mailbox
let service: TestApp
beforeAll(async () => {
  mailbox = await Mailbox.make()
  service = await startTestApp({ dataDir: mailbox.dataDir, sessionIdleHours: 24 })
})
afterAll(async () => {
  await service.stop()
  await mailbox.remove()
})

const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows

async function sweep(): Promise<void> {
  const job = assembly.jobs.find(({ name }) => name === 'sweep-sign-ins')!
  await job.run(service.database, openIntegrations(service.database, {}))
}

const RESET = 'mutation ($email: String!) { requestPasswordReset(email: $email) }'

test('the sweep removes sessions that have ended or lie idle, and leaves those that are used', async () => {
  const { id, email } = await makePerson(service)
  const used = await signIn(service, email)
  await signIn(service, email)
  await signIn(service, email)
  const [kept, ended, idle] = await query(
    'select id from sign_in_session where sign_in_id = $1 order by created_at, id',
    [id],
  )
  await query(`update sign_in_session set expires_at = now() - interval '1 second' where id = $1`, [ended.id])
  await query(`update sign_in_session set last_used_at = now() - interval '25 hours' where id = $1`, [idle.id])
  await query(`update sign_in_session set last_used_at = now() - interval '23 hours' where id = $1`, [kept.id])
  await sweep()
  expect(await query('select id from sign_in_session where sign_in_id = $1', [id])).toEqual([{ id: kept.id }])
  expect((await used.client.graphql('{ me { id } }')).body.data.me.id).toBe(id)
})

test('the sweep removes links that have expired and no others', async () => {
  const people = [await makePerson(service), await makePerson(service)]
  const anybody = createClient(service.origin)
  for (const { email } of people) expect(dataOf(await anybody.graphql(RESET, { email }))).toBe(true)
  expect(await tellAll(service.database)).toEqual([])
  const [expired, fresh] = people.map(({ id }) => id)
  const left = () => query('select sign_in_id as id from sign_in_link where sign_in_id = any($1)', [[expired, fresh]])
  expect(await left()).toHaveLength(2)
  await query(`update sign_in_link set expires_at = now() - interval '1 second' where sign_in_id = $1`, [expired])
  await sweep()
  expect(await left()).toEqual([{ id: fresh }])
})

test('the sweep forgets attempts of more than an hour ago; those who still wait go on waiting', async () => {
  const { email } = await makePerson(service)
  const other = await makePerson(service)
  const wrong = (address: string) => signIn(service, address, 'a wrong guess').catch((error: Error) => error.message)
  await query('delete from sign_in_attempt')
  await wrong(other.email)
  await query(`update sign_in_attempt set last_at = now() - interval '61 minutes'`)
  for (let i = 0; i < 7; i++) await wrong(email)
  const before = await query("select key from sign_in_attempt where last_at > now() - interval '1 hour' order by key")
  await sweep()
  expect(await query('select key from sign_in_attempt order by key')).toEqual(before)
  expect(await wrong(email)).toContain('RATE_LIMIT_EXCEEDED')
})
