import { jest } from '@jest/globals'
import { createClient } from '../../support/client.js'
import { createDatabase } from '../../support/cluster.js'
import { makeContact, makeTenant } from '../../support/factories.js'
import { callOf, flood } from '../../support/flood.js'
import { openSilently } from '../../support/open-database.js'
import { checkAnswer } from '../../support/openapi.js'
import { launch, MAIN, type Running } from '../cli/run.js'

jest.setTimeout(300_000)

const SIZE = { connections: 50, pipelined: 20, batches: 2 }
const CALLS = SIZE.connections * SIZE.pipelined * SIZE.batches
const ROUNDS = 3
/** How much more a process may hold after the last flood than after the first: a few kilobytes of each call would be more. */
const MORE = { heap: 1.2, resident: 1.3 }
// Has a process tell what it holds once all that nobody needs has been collected, each time that it is asked.
const TELL_WHAT_IS_HELD = `let times = 0
  process.on('SIGUSR2', () => {
    gc()
    gc()
    const { heapUsed, rss } = process.memoryUsage()
    process.stderr.write('held ' + times++ + ': ' + heapUsed + ' ' + rss + '.')
  })`
// As `npm start` does.
const FLAGS = ['--max-semi-space-size=16', '--max-old-space-size=1024', '--v8-pool-size=1', '--expose-gc']
const PRELOAD = `--import=data:text/javascript,${encodeURIComponent(TELL_WHAT_IS_HELD)}`
const BODY = JSON.stringify({ name: 'Flood', notes: 'x'.repeat(200) })
const PATH = '/external/v1/contacts'

let own: Awaited<ReturnType<typeof createDatabase>>
let service: Running
let origin: string
let flooding: { spent: string; good: string }
let other: string

beforeAll(async () => {
  own = await createDatabase()
  const database = await openSilently(own.url)
  const spent = await makeTenant({ database, origin: '' }, { rateLimit: 1 })
  const good = await makeTenant({ database, origin: '' })
  const another = await makeTenant({ database, origin: '' })
  await makeContact(database, another.accountId)
  await database.close()
  flooding = { spent: spent.key, good: good.key }
  other = another.key
  service = launch(process.execPath, [...FLAGS, PRELOAD, MAIN, 'serve', '--port', '0', '--no-worker'], {
    DATABASE_URL: own.url,
  })
  origin = await service.prints(/REST +(http:\S+?)\/external/)
  // From an address with many wrong keys, those that were good before go on.
  for (const key of [spent.key, good.key, other]) {
    expect((await createClient(origin, key).get('/contacts')).status).toBe(200)
  }
})

afterAll(async () => {
  service?.child.kill('SIGTERM')
  await service?.finished
  await own.drop()
})

let times = 0
async function held(): Promise<{ heap: number; resident: number }> {
  service.child.kill('SIGUSR2')
  const [heap, resident] = (await service.prints(new RegExp(`held ${times++}: (\\d+ \\d+)\\.`))).split(' ').map(Number)
  return { heap: heap!, resident: resident! }
}

/** Reads of another account for as long as the work goes on: their statuses. */
async function readsDuring(work: Promise<unknown>): Promise<number[]> {
  const client = createClient(origin, other)
  const statuses: number[] = []
  let over = false
  const ended = work.finally(() => {
    over = true
  })
  while (!over) statuses.push((await client.get('/contacts')).status)
  await ended
  return statuses
}

const withKey = (key: string) => ({ 'X-API-Key': key })

test.each([
  ['calls past a key’s limit', () => callOf(PATH, BODY, withKey(flooding.spent)), ['429 RATE_LIMIT_EXCEEDED']],
  ['calls without a key', () => callOf(PATH, BODY, {}), ['401 MISSING_API_KEY']],
  [
    'calls with a wrong key',
    () => callOf(PATH, BODY, withKey(`${flooding.good}x`)),
    ['401 INVALID_API_KEY', '429 RATE_LIMIT_EXCEEDED'],
  ],
  ['bodies that are no JSON', () => callOf(PATH, BODY.slice(0, -1), withKey(flooding.good)), ['400 VALIDATION_ERROR']],
  [
    'bodies that say nothing of what is needed',
    () => callOf(PATH, BODY.replace('name', 'nom'), withKey(flooding.good)),
    ['400 VALIDATION_ERROR'],
  ],
])('a flood of %s is answered, keeps nobody out, and its memory is given back', async (_what, call, expected) => {
  const { port } = new URL(origin)
  const left: Awaited<ReturnType<typeof held>>[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const coming = flood({ ...SIZE, port: Number(port), call: call() })
    const reads = await readsDuring(coming)
    expect(reads).toEqual(reads.map(() => 200))
    expect(reads.length).toBeGreaterThan(1)
    const { counts, samples } = await coming
    for (const answer of Object.values(samples)) checkAnswer('POST', '/contacts', answer)
    expect(expected).toEqual(expect.arrayContaining(Object.keys(counts)))
    expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(CALLS)
    left.push(await held())
  }
  const [first, last] = [left[0]!, left.at(-1)!]
  expect(last.heap).toBeLessThan(MORE.heap * first.heap)
  expect(last.resident).toBeLessThan(MORE.resident * first.resident)
})
