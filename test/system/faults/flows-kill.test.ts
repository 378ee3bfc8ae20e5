import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { simpleParser } from 'mailparser'
import type { SMTPServerDataStream } from 'smtp-server'
import { StepKind } from '../../../src/domains/flows/index.js'
import { createDatabase } from '../../support/cluster.js'
import { until } from '../../support/crash/locks.js'
import { makeEnrollment, makeFlow, sendStep } from '../../support/factories/flows.js'
import { makeTag, makeTenant } from '../../support/factories.js'
import { openSilently } from '../../support/open-database.js'
import { TestSmtp } from '../../support/smtp.js'
import { type Running, start } from '../cli/run.js'

const FULL = process.env.FULL === 'true'
const CONTACTS = FULL ? 400 : 80
const KILLS = FULL ? 12 : 4
const WORKERS = 2
const KEY = Buffer.alloc(32, 5)
// What a dead process had claimed is anybody's after its lease, and nobody has to wait for that here. Who takes a claim from
// a worker that lives adds to the attempts all the same, of which there are few: none are counted.
const LET_GO = `update flow_enrollment set claimed_until = null, attempts = 0
  where claimed_until > now() and claimed_until not between now() + interval '58 s' and now() + interval '61 s'`

/** Workers that are killed in the midst of what they do, and started again. */
class MortalWorkers {
  private readonly running: Running[] = []
  private killing: Promise<void> = Promise.resolve()
  kills = 0

  constructor(private readonly settings: Record<string, string>) {
    for (let i = 0; i < WORKERS; i++) this.running.push(this.start())
  }

  private start(): Running {
    return start(['worker'], this.settings)
  }

  /** Kills one at once, or all, whatever they do, and starts others. */
  kill(victims = [this.kills % WORKERS]): Promise<void> {
    this.killing = this.killing.then(async () => {
      for (const at of victims) {
        this.kills++
        const { child, finished } = this.running[at]!
        child.kill('SIGKILL')
        await finished
        this.running[at] = this.start()
      }
    })
    return this.killing
  }

  async end(): Promise<void> {
    await this.killing
    for (const { child } of this.running) child.kill('SIGKILL')
    await Promise.all(this.running.map(({ finished }) => finished))
  }
}

test(
  'no step is lost and none happens twice, and no mail is sent twice, however often workers die',
  async () => {
    const { url, drop } = await createDatabase()
    const database = await openSilently(url, { encryptionKey: KEY })
    await database.prepare()
    const { pool } = database
    const received = new Map<string, number>()
    let workers: MortalWorkers | undefined
    // Now and then all workers die when a mail has come and is not answered yet: what nobody can know.
    let deadly = 3
    const smtp = await TestSmtp.start({
      onData: (stream: SMTPServerDataStream, _session, done) => {
        simpleParser(stream as unknown as Buffer)
          .then(async ({ messageId }) => {
            received.set(messageId!, (received.get(messageId!) ?? 0) + 1)
            if (received.size > CONTACTS / 4 && deadly > 0 && workers) {
              deadly--
              await workers.kill([0, 1])
            }
            await delay(randomInt(10))
          })
          .then(() => done(), done)
      },
    })
    try {
      const { accountId } = await makeTenant({ database, origin: '' })
      const [first, second] = [await sendStep(database, accountId), await sendStep(database, accountId)]
      const tag = await makeTag(database, accountId)
      const wait = { kind: StepKind.WAIT, waitSeconds: 1 } as const
      const steps = [first, { kind: StepKind.TAG, tagId: tag.id } as const, wait, second]
      const { id: flowId } = await makeFlow(database, accountId, { steps })
      for (let i = 0; i < CONTACTS; i++) await makeEnrollment(database, accountId, { flowId })
      const settings = {
        DATABASE_URL: url,
        SMTP_URL: smtp.url,
        ENCRYPTION_KEY: KEY.toString('hex'),
        LOG_LEVEL: 'error',
      }
      workers = new MortalWorkers(settings)
      const count = async (sql: string) => (await pool.query<{ n: number }>(sql, [accountId])).rows[0]!.n
      const done = `select count(*)::int as n from flow_enrollment where account_id = $1 and state = 'completed'`
      const made = 'select count(*)::int as n from mail where account_id = $1'
      const killInTime = async () => {
        for (let death = 0; death < KILLS; death++) {
          const reached = Math.round(((death + 0.5) * 2 * CONTACTS) / KILLS)
          await until(`${reached} mails are made`, async () => {
            await pool.query(LET_GO)
            return (await count(made)) >= reached
          })
          await delay(randomInt(30))
          await workers!.kill()
        }
      }
      await killInTime()
      await until('all are through', async () => {
        await pool.query(LET_GO)
        return (await count(done)) === CONTACTS
      })
      const open = `select count(*)::int as n from mail where account_id = $1 and status in ('queued', 'sending')`
      const abandoned = `update mail set due_at = now() where status = 'sending' and updated_at < now() - interval '10 s'`
      await until('nothing waits', async () => {
        await pool.query(abandoned)
        return (await count(open)) === 0
      })

      expect(workers.kills).toBeGreaterThanOrEqual(KILLS + 2)
      const { rows: mails } = await pool.query<{ id: string; status: string; contact: string }>(
        'select id, status, contact_id as contact from mail where account_id = $1',
        [accountId],
      )
      const perContact = Map.groupBy(mails, ({ contact }) => contact)
      expect([perContact.size, [...perContact.values()].every(({ length }) => length === 2)]).toEqual([CONTACTS, true])
      expect(await count('select count(*)::int as n from contact_tag where account_id = $1')).toBe(CONTACTS)
      const arrivals = (id: string) => [...received].find(([messageId]) => messageId.includes(id))?.[1] ?? 0
      const wrong = mails.filter(({ id, status }) => {
        const times = arrivals(id)
        return times > 1 || (status === 'sent' ? times !== 1 : status !== 'unknown')
      })
      expect(wrong).toEqual([])
      const unknown = mails.filter(({ status }) => status === 'unknown')
      expect(unknown.some(({ id }) => arrivals(id) === 1)).toBe(true)
    } finally {
      await workers?.end()
      await smtp.stop()
      await database.close()
      await drop()
    }
  },
  FULL ? 900_000 : 400_000,
)
