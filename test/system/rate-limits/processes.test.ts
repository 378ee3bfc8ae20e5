import { type Answer, createClient } from '../../support/client.js'
import { createDatabase } from '../../support/cluster.js'
import { makeKey, makeTenant } from '../../support/factories.js'
import { openSilently } from '../../support/open-database.js'
import { describeWith } from '../../support/programs.js'
import { type LocalRedis, startRedis } from '../../support/redis.js'
import { type Running, start } from '../cli/run.js'

const PROCESSES = 4
const REQUESTS = 500
const LIMIT = 100

/** Several servers on one database. */
class Servers {
  private constructor(
    readonly origins: readonly string[],
    readonly newKey: (rateLimit: number) => Promise<string>,
    readonly stop: () => Promise<void>,
  ) {}

  static async start(settings: Record<string, string>): Promise<Servers> {
    const { url, drop } = await createDatabase()
    const database = await openSilently(url)
    const { accountId } = await makeTenant({ database, origin: '' })
    const running: Running[] = []
    const stop = async () => {
      for (const { child } of running) child.kill('SIGTERM')
      for (const { finished } of running) expect(await finished).toMatchObject({ code: 0 })
      await database.close()
      await drop()
    }
    const begin = async () => {
      // A busy machine may take its time: how long a request waits is the matter of other tests.
      const patience = { RATE_LIMIT_WAIT_MS: '10000', DATABASE_WAIT_MS: '60000' }
      const environment = { DATABASE_URL: url, ...patience, ...settings }
      const server = start(['serve', '--port', '0', '--no-worker'], environment)
      running.push(server)
      return server.prints(/REST +(http:\S+?)\/external/)
    }
    const newKey = async (rateLimit: number) => (await makeKey(database, accountId, { rateLimit })).secret
    try {
      const origins = await Promise.all(Array.from({ length: PROCESSES }, begin))
      return new Servers(origins, newKey, stop)
    } catch (error) {
      for (const { child } of running) child.kill('SIGKILL')
      throw error
    }
  }

  /** Sends so many requests at once, evenly to all. */
  callAll(key: string, requests = REQUESTS): Promise<Answer[]> {
    const clients = this.origins.map((origin) => createClient(origin, key))
    return Promise.all(Array.from({ length: requests }, (_, i) => clients[i % clients.length]!.get('/')))
  }
}

const header = ({ headers }: Answer, name: string) => Number(headers.get(`x-ratelimit-${name}`))

/** As many pass as may, in whatever process they arrive, and the headers of each tell the truth. */
async function expectExact(servers: Servers): Promise<void> {
  const answers = await servers.callAll(await servers.newKey(LIMIT))
  const passed = answers.filter(({ status }) => status === 200)
  expect(passed).toHaveLength(LIMIT)
  const left = passed.map((answer) => header(answer, 'remaining')).toSorted((a, b) => a - b)
  expect(left).toEqual(Array.from({ length: LIMIT }, (_, i) => i))
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(REQUESTS - LIMIT)
  expect(new Set(refused.map((answer) => header(answer, 'remaining')))).toEqual(new Set([0]))
  expect(new Set(answers.map((answer) => header(answer, 'limit')))).toEqual(new Set([LIMIT]))
  // The same end of the window in each process, but for what a clock rounds.
  const resets = answers.map((answer) => header(answer, 'reset'))
  expect(Math.max(...resets) - Math.min(...resets)).toBeLessThanOrEqual(1)
}

describe('several processes that share a database', () => {
  let servers: Servers
  beforeAll(async () => {
    servers = await Servers.start({ CLUSTER: 'true' })
  })
  afterAll(() => servers?.stop())

  test('let exactly as many requests of a key pass as it may make', async () => {
    await expectExact(servers)
    await expectExact(servers)
  })
})

describeWith(['redis-server'], 'several processes that share a Redis', () => {
  let servers: Servers
  let redis: LocalRedis
  beforeAll(async () => {
    redis = await startRedis()
    servers = await Servers.start({ REDIS_URL: redis.url })
  })
  afterAll(async () => {
    await servers?.stop()
    await redis?.stop()
  })

  test('let exactly as many requests of a key pass as it may make', async () => {
    await expectExact(servers)
  })

  test('refuse nobody while it is away, and count in each process what that process has seen', async () => {
    const key = await servers.newKey(LIMIT)
    const statuses = (answers: Answer[]) => new Set(answers.map(({ status }) => status))
    expect(statuses(await servers.callAll(key, 40))).toEqual(new Set([200]))
    await redis.kill()
    const answers = await servers.callAll(key, 80)
    expect(statuses(answers)).toEqual(new Set([200]))
    for (const answer of answers) expect(header(answer, 'remaining')).toBeLessThan(LIMIT - 10)
  })
})
