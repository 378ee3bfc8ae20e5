import { randomUUID } from 'node:crypto'
import type { SMTPServerDataStream } from 'smtp-server'
import { createClient } from '../../support/client.js'
import { createDatabase } from '../../support/cluster.js'
import { until } from '../../support/crash/locks.js'
import { makeSender, makeTemplate } from '../../support/factories/mail.js'
import { makeTenant } from '../../support/factories.js'
import { openSilently } from '../../support/open-database.js'
import { TestSmtp } from '../../support/smtp.js'
import { type Running, start } from '../cli/run.js'

const KEY = Buffer.alloc(32, 5)
const ADDRESS = /REST +(http:\S+?)\/external/

// Holds whoever is about to claim an action, for as long as somebody has the lock: a process stops there, and nowhere else.
const GUARD = `create function guard_action() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock(4242); return new; end $$;
  create trigger guard before update on opportunity_action for each row execute function guard_action()`

test('an action whose process is killed happens by a repeat if it was not begun, and never twice', async () => {
  const { url, drop } = await createDatabase()
  const database = await openSilently(url, { encryptionKey: KEY })
  await database.prepare()
  let received = 0
  let hold = false
  const smtp = await TestSmtp.start({
    onData: (stream: SMTPServerDataStream, _session, done) => {
      stream.on('data', () => {})
      stream.on('end', () => {
        received++
        if (!hold) done()
      })
    },
  })
  const settings = { DATABASE_URL: url, SMTP_URL: smtp.url, ENCRYPTION_KEY: KEY.toString('hex') }
  let running: Running | undefined
  const serve = async () => {
    running = start(['serve', '--port', '0', '--no-worker'], settings)
    return createClient(await running.prints(ADDRESS), apiKey)
  }
  const kill = async () => {
    running?.child.kill('SIGKILL')
    await running?.finished
  }
  const { accountId, key: apiKey } = await makeTenant({ database, origin: '' })
  const template = await makeTemplate(database, accountId)
  await makeSender(database, accountId, { isDefault: true })
  const ask = () => ({
    body: { name: 'Ana', email: `${randomUUID()}@example.com`, send_template_email_id: template.id },
    headers: { 'Idempotency-Key': randomUUID() },
  })
  const actions = async () => (await database.pool.query('select claimed_at, result from opportunity_action')).rows
  const guard = await database.pool.connect()
  try {
    await guard.query(GUARD)
    await guard.query('select pg_advisory_lock(4242)')
    const first = ask()
    const lost = (await serve()).post('/opportunities', first.body, first.headers).catch(() => undefined)
    const held = `from pg_locks where locktype = 'advisory' and objid = 4242 and not granted`
    await until('it is committed, and about to be claimed', async () => {
      return (await database.pool.query(`select ${held}`)).rowCount === 1
    })
    await kill()
    // What the dead process had sent would be carried out still, were the database not to stop as well.
    await database.pool.query(`select pg_terminate_backend(pid, 10000) ${held}`)
    expect([await lost, await actions()]).toEqual([undefined, [{ claimed_at: null, result: null }]])
    await guard.query('select pg_advisory_unlock(4242)')
    await guard.query('drop trigger guard on opportunity_action')
    const client = await serve()
    const repeat = await client.post('/opportunities', first.body, first.headers)
    expect([repeat.status, repeat.body.actions.email.sent, received]).toEqual([201, true, 1])
    expect((await client.post('/opportunities', first.body, first.headers)).body).toEqual(repeat.body)

    hold = true
    const second = ask()
    const broken = client.post('/opportunities', second.body, second.headers).catch(() => undefined)
    await until('the mail is under way', () => Promise.resolve(received === 2))
    await kill()
    expect(await broken).toBeUndefined()
    hold = false
    const other = await serve()
    const told = await other.post('/opportunities', second.body, second.headers)
    expect(told.status).toBe(201)
    expect(told.body.actions.email).toEqual({ sent: false, email_id: null, error: 'interrupted; outcome unknown' })
    expect((await other.post('/opportunities', second.body, second.headers)).body).toEqual(told.body)
    expect(received).toBe(2)
  } finally {
    guard.release()
    await kill()
    await smtp.stop()
    await database.close()
    await drop()
  }
}, 90_000)
