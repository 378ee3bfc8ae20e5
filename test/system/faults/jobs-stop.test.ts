import { setTimeout as delay } from 'node:timers/promises'
import type { SMTPServerDataStream } from 'smtp-server'
import { createDatabase } from '../../support/cluster.js'
import { until } from '../../support/crash/locks.js'
import { makeSender, makeTemplate } from '../../support/factories/mail.js'
import { makeOpportunity } from '../../support/factories/opportunities.js'
import { makeContact, makeTenant } from '../../support/factories.js'
import { openSilently } from '../../support/open-database.js'
import { TestSmtp } from '../../support/smtp.js'
import { start } from '../cli/run.js'

const KEY = Buffer.alloc(32, 5)
const ACTION = `with action as (insert into opportunity_action (id, account_id, opportunity_id, name, input)
    values (gen_random_uuid(), $1, $2, 'email', jsonb_build_object('templateId', $3::text)) returning id)
  insert into job (id, account_id, name, ids)
  select gen_random_uuid(), $1, 'settle-action', jsonb_build_object('actionId', id) from action`

test('a worker alone that is told to stop lets the job that runs finish', async () => {
  const { url, drop } = await createDatabase()
  const database = await openSilently(url, { encryptionKey: KEY })
  await database.prepare()
  let begun = 0
  const smtp = await TestSmtp.start({
    onData: (stream: SMTPServerDataStream, _session, done) => {
      begun++
      stream.on('data', () => {})
      stream.on('end', () => void delay(1500).then(() => done()))
    },
  })
  const settings = { DATABASE_URL: url, SMTP_URL: smtp.url, ENCRYPTION_KEY: KEY.toString('hex') }
  const worker = start(['worker'], settings)
  try {
    const { accountId } = await makeTenant({ database, origin: '' })
    const template = await makeTemplate(database, accountId)
    await makeSender(database, accountId, { isDefault: true })
    const contact = await makeContact(database, accountId, { email: 'ana@example.com' })
    const { id } = await makeOpportunity(database, accountId, { contact })
    await database.pool.query(ACTION, [accountId, id, template.id])
    await until('the mail is under way', () => begun === 1)
    worker.child.kill('SIGTERM')
    expect((await worker.finished).code).toBe(0)
    const { rows } = await database.pool.query('select result from opportunity_action')
    expect(rows).toMatchObject([{ result: { sent: true, error: null } }])
    expect((await database.pool.query('select from job')).rowCount).toBe(0)
  } finally {
    worker.child.kill('SIGKILL')
    await worker.finished
    await smtp.stop()
    await database.close()
    await drop()
  }
}, 60_000)
