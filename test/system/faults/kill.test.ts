import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, createClient } from '../../support/client.js'
import { createDatabase } from '../../support/cluster.js'
import { makeTenant } from '../../support/factories.js'
import { openSilently } from '../../support/open-database.js'
import { type Running, start } from '../cli/run.js'

const FULL = process.env.FULL === 'true'
const POSTS = FULL ? 200 : 40
const KILLS = FULL ? 8 : 3
const CONCURRENCY = 8
const ADDRESS = /REST +(http:\S+?)\/external/

/** A server that is killed and started again; `origin` resolves once it can be asked. */
class Mortal {
  private running!: Running
  origin!: Promise<string>
  kills = 0

  constructor(private readonly databaseUrl: string) {
    this.start()
  }

  private start(): void {
    this.running = start(['serve', '--port', '0', '--no-worker'], { DATABASE_URL: this.databaseUrl })
    this.origin = this.running.prints(ADDRESS)
    this.origin.catch(() => {}) // whoever awaits it hears of it
  }

  /** Kills the process, once it can be asked, in the middle of whatever it does, and starts another. */
  async kill(): Promise<void> {
    await this.origin
    await this.end()
    this.kills++
    this.start()
  }

  async end(): Promise<void> {
    this.running.child.kill('SIGKILL')
    await this.running.finished
  }
}

interface Post {
  key: string
  body: { name: string; email?: string }
}

/** Sends a call until it is answered with success; what is sent to a killed server gets no answer. */
async function insist(server: Mortal, apiKey: string, { key, body }: Post): Promise<{ answer: Answer; tries: number }> {
  for (let tries = 1; ; tries++) {
    const client = createClient(await server.origin, apiKey)
    const answer = await client.post('/contacts', body, { 'Idempotency-Key': key }).catch(() => undefined)
    if (answer?.status === 201) return { answer, tries }
    // The database may not have noticed yet that the process which holds the key is dead.
    if (answer) expect(answer.body.error.code).toBe('IDEMPOTENCY_IN_PROGRESS')
    await delay(20)
  }
}

test(
  'a call with an Idempotency-Key that is repeated until it is answered happens once, however often the server dies',
  async () => {
    const { url, drop } = await createDatabase()
    const database = await openSilently(url)
    const { accountId, key: apiKey } = await makeTenant({ database, origin: '' })
    const server = new Mortal(url)
    try {
      // Without an email nothing but the key keeps a contact from being made twice; with one, a second try conflicts.
      const posts: Post[] = Array.from({ length: POSTS }, (_, i) => ({
        key: randomUUID(),
        body: { name: `Contact ${i}`, ...(i % 2 && { email: `contact${i}@x.test` }) },
      }))
      const waiting = posts.entries()
      const answers = new Map<number, Answer>()
      let tries = 0
      const deathAt = (death: number) => Math.round(((death + 0.5) * POSTS) / KILLS)
      const killInTime = async () => {
        for (let death = 0; death < KILLS; death++) {
          while (answers.size < deathAt(death)) await delay(1)
          await delay(randomInt(20))
          await server.kill()
        }
      }
      const work = async () => {
        for (const [i, post] of waiting) {
          const done = await insist(server, apiKey, post)
          answers.set(i, done.answer)
          tries += done.tries
        }
      }
      await Promise.all([killInTime(), ...Array.from({ length: CONCURRENCY }, work)])

      expect(server.kills).toBe(KILLS)
      expect(tries).toBeGreaterThan(POSTS) // some call was under way when the server died
      const stored = await database.pool.query('select id, name, email from contact where account_id = $1', [accountId])
      const expected = posts.map(({ body: { name, email = null } }, i) => {
        return { id: answers.get(i)!.body.data.id, name, email }
      })
      const byName = (rows: { name: string }[]) => rows.toSorted((a, b) => (a.name < b.name ? -1 : 1))
      expect(byName(stored.rows)).toEqual(byName(expected))

      const client = createClient(await server.origin, apiKey)
      for (const [i, { key, body }] of posts.entries()) {
        const repeat = await client.post('/contacts', body, { 'Idempotency-Key': key })
        expect([repeat.text, repeat.headers.get('idempotent-replayed')]).toEqual([answers.get(i)!.text, 'true'])
      }
    } finally {
      await server.end()
      await database.close()
      await drop()
    }
  },
  FULL ? 300_000 : 120_000,
)
