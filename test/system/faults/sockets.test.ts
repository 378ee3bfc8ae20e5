import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { jest } from '@jest/globals'
import { createClient } from '../../support/client.js'
import { createDatabase } from '../../support/cluster.js'
import { until } from '../../support/embedded.js'
import { makeTenant } from '../../support/factories.js'
import { openSilently } from '../../support/open-database.js'
import { launch, MAIN, type Running, start } from '../cli/run.js'

jest.setTimeout(120_000)

const DESCRIPTORS = 256
const SILENT = 600
/** What this process itself has open besides. */
const OWN_DESCRIPTORS = 1000
const MANY = Math.min(10_000, Number(execFileSync('sh', ['-c', 'ulimit -n']).toString()) - OWN_DESCRIPTORS)
const ROUNDS = 3
/** By how much what a process holds may differ from one crowd to the next. */
const SAME = 1.05
// Has a process tell what it holds once all that nobody needs has been collected, each time that it is asked.
const TELL_WHAT_IS_HELD = `let times = 0
  process.on('SIGUSR2', () => {
    gc()
    gc()
    process.stderr.write('held ' + times++ + ': ' + process.memoryUsage().heapUsed + '\\n')
  })`
const NODE_OPTIONS = `--expose-gc --import=data:text/javascript,${encodeURIComponent(TELL_WHAT_IS_HELD).replaceAll("'", '%27')}`

let own: Awaited<ReturnType<typeof createDatabase>>
let key: string
let service: Running
let origin: string

beforeAll(async () => {
  own = await createDatabase()
  const database = await openSilently(own.url)
  key = (await makeTenant({ database, origin: '' })).key
  await database.close()
})

beforeEach(async () => {
  const command = `ulimit -n ${DESCRIPTORS}; exec "$0" "$@"`
  service = launch('sh', ['-c', command, process.execPath, MAIN, 'serve', '--port', '0'], { DATABASE_URL: own.url })
  origin = await service.prints(/REST +(http:\S+?)\/external/)
})

afterEach(async () => {
  service.child.kill('SIGTERM')
  await service.finished
})

afterAll(() => own.drop())

const descriptors = () => readdirSync(`/proc/${service.pid}/fd`).length

test('callers that say nothing keep nobody out, however many they are', async () => {
  const { port } = new URL(origin)
  const silent: Socket[] = []
  try {
    for (let i = 0; i < SILENT; i++) {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => {})
      silent.push(socket)
      // Every now and then somebody has work to do.
      if (i % 20 === 0) {
        const { status } = await createClient(origin, key).get('/contacts')
        expect([i, status]).toEqual([i, 200])
      }
    }
    await until('end of the first', () => silent[0]!.closed)
    const answers = await Promise.all(Array.from({ length: 20 }, () => createClient(origin, key).get('/contacts')))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(silent.filter(({ closed }) => !closed).length).toBeGreaterThan(50)
    expect(descriptors()).toBeLessThan(DESCRIPTORS)
  } finally {
    for (const socket of silent) socket.destroy()
  }
})

test('without a descriptor for the database the answer is 503, and 200 when there are some again', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const ask = (path: string) =>
    new Promise<{ status: number; retryAfter: string | undefined; body: string }>((resolve, reject) => {
      const call = request(`${origin}${path}`, { agent, headers: { 'X-API-Key': key } }, (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (text) => {
          body += text
        })
        response.on('end', () =>
          resolve({ status: response.statusCode!, retryAfter: response.headers['retry-after'], body }),
        )
      })
      call.once('error', reject).end()
    })
  const all = (path: string) => Promise.all(Array.from({ length: 8 }, () => ask(path)))
  const limit = (count: number) => execFileSync('prlimit', ['--pid', String(service.pid), `--nofile=${count}:`])
  try {
    await all('/healthz') // so that their connections are there
    limit(descriptors())
    const answers = await all('/external/v1/contacts')
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, retryAfter, body } of refused) {
      expect([status, retryAfter, JSON.parse(body).error.code]).toEqual([503, '5', 'SERVICE_UNAVAILABLE'])
    }
    limit(DESCRIPTORS)
    expect((await all('/external/v1/contacts')).map(({ status }) => status)).toEqual(answers.map(() => 200))
  } finally {
    agent.destroy()
  }
})

describe('ten thousand callers who have said half of what they want', () => {
  const HALF = 'GET /external/v1/contacts HTTP/1.1\r\nHost: localhost\r\nX-Api'
  const PORTION = 250

  /** Opens connections, in portions, so that none has to be tried again. */
  async function crowd(port: number): Promise<Socket[]> {
    const sockets: Socket[] = []
    while (sockets.length < MANY) {
      const portion = Array.from({ length: Math.min(PORTION, MANY - sockets.length) }, () => connect(port, '127.0.0.1'))
      for (const socket of portion) socket.on('error', () => {})
      await Promise.all(portion.map((socket) => once(socket, 'connect')))
      for (const socket of portion) socket.write(HALF)
      sockets.push(...portion)
    }
    return sockets
  }

  test('keep nobody out, and the next ten thousand find the room that the first have taken', async () => {
    const roomy = start(['serve', '--port', '0', '--no-worker'], { DATABASE_URL: own.url, NODE_OPTIONS })
    try {
      const at = await roomy.prints(/REST +(http:\S+?)\/external/)
      const client = createClient(at, key)
      const open = () => readdirSync(`/proc/${roomy.pid}/fd`).length
      const held = async (time: number) => {
        roomy.child.kill('SIGUSR2')
        return Number(await roomy.prints(new RegExp(`held ${time}: (\\d+)`)))
      }
      expect((await client.get('/contacts')).status).toBe(200)
      const alone = open()
      const left: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const sockets = await crowd(Number(new URL(at).port))
        // Those that came first may have been shut out already, since they said no more.
        await until('many to be let in', () => open() > MANY / 2)
        for (let i = 0; i < 20; i++) expect((await client.get('/contacts')).status).toBe(200)
        for (const socket of sockets) socket.destroy()
        await until('all to have left', () => open() < alone + PORTION)
        left.push(await held(round))
      }
      expect(left.at(-1)).toBeLessThan(SAME * left[0]!)
      expect((await client.get('/contacts')).status).toBe(200)
    } finally {
      roomy.child.kill('SIGTERM')
      await roomy.finished
    }
  })
})
