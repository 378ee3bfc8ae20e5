import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { ledgerSums, sandboxCollected } from '../../support/billing-sums.js'
import { until } from '../../support/crash/locks.js'
import { type Asked, Load } from '../../support/outage/load.js'
import { type Product, startProduct } from '../../support/outage/product.js'

// The product as it runs: a server, two workers, a mail server. All that was answered as done is done in the end, once, and
// no process is started anew.

const FULL = process.env.FULL === 'true'
const LASTS_MS = FULL ? 8000 : 3000
const WORK = FULL ? 50 : 8
const PAUSE_MS = FULL ? 10 : 60

let product: Product
beforeAll(async () => {
  product = await startProduct()
}, 180_000)
afterAll(() => product?.stop())

const rows = async <Row>(text: string, values: unknown[] = []) =>
  (await product.database.pool.query(text, values)).rows as Row[]

/** Has tables that all kinds of work need locked until calls are refused: each process's connections are soon all taken. */
async function withoutConnections(load: Load): Promise<void> {
  const locks = new pg.Client({ connectionString: product.databaseUrl })
  await locks.connect()
  try {
    await locks.query(
      'begin; lock table contact, agency_event, flow_enrollment, mail, job, outbox in access exclusive mode',
    )
    await refusals(load)
  } finally {
    await locks.end()
  }
}

/** Until some of the calls have been refused, and a while longer. */
async function refusals({ asked }: Load): Promise<void> {
  const before = asked.refused.length
  await until('calls are refused', () => asked.refused.length > before + 5)
  await delay(LASTS_MS)
}

const OUTAGES: [string, (load: Load) => Promise<void>][] = [
  [
    'is away, and comes back',
    async () => {
      await product.proxy.cut()
      await delay(LASTS_MS)
      await product.proxy.restore()
    },
  ],
  [
    'falls silent: what is sent is lost, and so are the answers',
    async () => {
      product.proxy.silence()
      product.proxy.deafen()
      await delay(2 * LASTS_MS)
      await product.proxy.restore()
    },
  ],
  ['loses its connections without a word', async () => product.proxy.deafen()],
  ['has no connection to spare, since everything is locked', withoutConnections],
  [
    'is stopped, and started',
    async () => {
      await product.postgres.stop()
      await delay(LASTS_MS)
      await product.postgres.start()
    },
  ],
  ['has no room on its disk', (load) => product.postgres.withoutRoom(product.database.pool, () => refusals(load))],
]

/** As if the leases of those who are gone, or who have lost what they claimed on its way, had ended. */
async function leasesEnd(): Promise<void> {
  await rows('update flow_enrollment set claimed_until = null where claimed_until > now()')
  await rows(`update mail set due_at = now() where status = 'sending' and updated_at < now() - interval '10 s'`)
  await rows(`update agency_event set due_at = now()
    where status in ('pending', 'processing') and last_attempt_at < now() - interval '10 s'`)
  await rows(`update outbox set due_at = now() where due_at > now() + interval '5 s'`)
  await rows(`update billing_standing set turn_until = now() where turn_until > now() + interval '50 s'`)
}

const OPEN = `select (select count(*)::int from outbox) as outbox, (select count(*)::int from job) as jobs,
  (select count(*)::int from flow_enrollment where state = 'active') as steps,
  (select count(*)::int from mail where status in ('queued', 'sending')) as mails,
  (select count(*)::int from agency_event where status in ('pending', 'processing')) as events`

async function settled(): Promise<void> {
  let left = ''
  await until('nothing waits any more', async () => {
    await delay(500)
    await leasesEnd()
    left = JSON.stringify((await rows(OPEN))[0])
    return !/[1-9]/.test(left)
  }).catch((error) => {
    throw new Error(`${error.message}: ${left}`)
  })
}

/** What was answered as done is done, and once. */
async function expectDone({ tenant, leads, events, forgetful, agencies }: Asked): Promise<void> {
  const mails = await rows<{ id: string; status: string; email: string }>(
    `select m.id, m.status, c.email from mail m join contact c on c.id = m.contact_id where m.account_id = $1`,
    [tenant.accountId],
  )
  const made = Map.groupBy(mails, ({ email }) => email)
  expect(leads.filter((email) => made.get(email)?.length !== 1)).toEqual([])
  const wrong = mails.filter(({ id, status }) => {
    const times = product.arrivals.get(id) ?? 0
    return status === 'sent' ? times !== 1 : status !== 'unknown' || times > 1
  })
  expect(wrong).toEqual([])
  // Nobody knows of those whose outcome could not be stored: few, since few are under way at a time.
  expect(mails.filter(({ status }) => status === 'unknown').length).toBeLessThan(40)
  const deals = await rows<{ email: string; n: number }>(
    `select c.email, count(*)::int as n from opportunity o join contact c on c.id = o.contact_id
      where o.account_id = $1 group by 1`,
    [tenant.accountId],
  )
  expect(deals.filter(({ n }) => n !== 1)).toEqual([])
  const kept = new Set(deals.map(({ email }) => email))
  expect(leads.filter((email) => !kept.has(email))).toEqual([])
  expect(forgetful.filter((email) => !product.arrivals.get(email.toLowerCase()))).toEqual([])
  for (const { client, id } of events) {
    const { status, body } = await client.event(id)
    expect([status, ['processed', 'ignored', 'failed'].includes(body.data?.status)]).toEqual([200, true])
  }
  for (const { agencyId, customerId } of agencies) {
    const { abandoned, ...sums } = await ledgerSums(product.database, agencyId)
    const collected = await sandboxCollected(product.database, customerId, abandoned)
    expect([sums.unsettled, collected]).toEqual([0, sums.paid])
  }
  expect(await rows('select name, error from failed_job')).toEqual([])
}

/** Each 503 is one line of the log, which tells nothing of where in the program it arose; nothing else is wrong. */
async function expectOneLineEach({ refused }: Asked): Promise<void> {
  expect(refused.length).toBeGreaterThan(0)
  for (const { status, headers, body } of refused) {
    const code = body.error?.code ?? body.errors?.[0].extensions.code
    expect([status === 200 || status === 503 || status === 409, code]).toEqual([true, expect.any(String)])
    if (status === 503) expect(headers.get('retry-after')).toMatch(/^\d+$/)
  }
  const ids = new Set(refused.filter(({ status }) => status === 503).map(({ headers }) => headers.get('x-request-id')))
  await until('all is logged', () => {
    const logged = new Set(product.logs().map(({ requestId }) => requestId))
    return [...ids].every((id) => logged.has(id!))
  })
  const lines = Map.groupBy(product.logs(), ({ requestId }) => requestId as string)
  for (const id of ids) {
    expect(lines.get(id!)).toEqual([expect.objectContaining({ level: 'warn', msg: 'answered', status: 503 })])
  }
  expect(product.logs().filter(({ msg }) => msg === 'unexpected error')).toEqual([])
  expect(product.logs().filter((line) => JSON.stringify(line).includes('"stack"'))).toEqual([])
}

test.each(OUTAGES)(
  'a database that %s',
  async (_, outage) => {
    const load = await Load.start(product, PAUSE_MS)
    try {
      await until('work', () => load.done >= WORK)
      await outage(load)
      const before = load.done
      await until('work of every kind again', () => load.done >= before + WORK)
    } catch (error) {
      throw new Error(`${(error as Error).message}: ${load.tells()}`)
    } finally {
      await load.end()
    }
    await settled()
    await expectDone(load.asked)
    await expectOneLineEach(load.asked)
    expect(product.ended()).toBe(0)
  },
  240_000,
)
