import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { jest } from '@jest/globals'
import { createClient } from '../../support/client.js'
import { createDatabase } from '../../support/cluster.js'
import { until } from '../../support/embedded.js'
import { makeTenant } from '../../support/factories.js'
import { openSilently } from '../../support/open-database.js'
import { launch, MAIN, type Running } from '../cli/run.js'

jest.setTimeout(120_000)

const DESCRIPTORS = 256
const SILENT = 600

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
