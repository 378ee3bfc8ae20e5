import { Agent, type IncomingMessage, request } from 'node:http'
import { connect as connectSocket, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { until } from '../support/embedded.js'
import { makeTenant } from '../support/factories.js'

/** A connection that says what it is told to, and keeps what comes back. */
interface Caller {
  socket: Socket
  heard(): string
  closed: Promise<void>
}

let service: TestApp
let callers: Caller[]

beforeEach(() => {
  callers = []
})

afterEach(async () => {
  for (const { socket } of callers) socket.destroy()
  await service.stop()
})

async function call(said = ''): Promise<Caller> {
  const socket = connectSocket(Number(new URL(service.origin).port), '127.0.0.1')
  let heard = ''
  socket.setEncoding('utf8').on('data', (text) => {
    heard += text
  })
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await new Promise((resolve) => socket.once('connect', resolve))
  if (said) socket.write(said)
  const caller = { socket, heard: () => heard, closed }
  callers.push(caller)
  return caller
}

const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n'
const answered = (caller: Caller) => until('answer', () => caller.heard().includes('"ok"'))
const isOpen = ({ socket }: Caller) => !socket.closed

/** What is said in the last answer that a caller heard. */
function bodyOf({ heard }: Caller) {
  return JSON.parse(heard().slice(heard().lastIndexOf('\r\n\r\n') + 4))
}

/** A client of an account whose writes of contacts wait until `unlock`. */
async function withWritesThatWait() {
  const { client, key } = await makeTenant(service)
  const holder = new pg.Client({ connectionString: service.databaseUrl })
  await holder.connect()
  await holder.query('begin; lock table contact in access exclusive mode')
  const waiting = (count: number) =>
    until('calls at the lock', async () => {
      const { rows } = await holder.query(
        `select from pg_locks where not granted and relation = 'contact'::regclass
           and database = (select oid from pg_database where datname = current_database())`,
      )
      return rows.length >= count
    })
  const unlock = async () => {
    await holder.query('commit')
    await holder.end()
  }
  return { client, key, waiting, unlock }
}

test.each([
  ['says nothing', ''],
  ['stops in its headers', 'GET /healthz HTTP/1.1\r\nHost: he'],
  ['stops in its body', 'POST /external/v1/contacts HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\n{'],
])('a caller that %s is shut out after its time', async (_, said) => {
  service = await startTestApp({}, { headersMs: 300, requestMs: 600, checkMs: 50 })
  const caller = await call(said)
  await caller.closed
  if (caller.heard()) expect(caller.heard()).toMatch(/^HTTP\/1\.1 (401|408) .*\r\nContent-Type: application\/json/s)
})

test('a caller that was answered and says no more is shut out after its time', async () => {
  service = await startTestApp({}, { keepAliveMs: 200 })
  const caller = await call(HEALTH)
  await answered(caller)
  await caller.closed
  expect(bodyOf(caller)).toEqual({ status: 'ok' })
})

describe('when there are as many connections as there may be', () => {
  beforeEach(async () => {
    service = await startTestApp({}, { connections: 3 })
  })

  test('the one that has been silent longest makes room, before any that was answered', async () => {
    const served = await call(HEALTH)
    await answered(served)
    const silent = [await call(), await call()]
    const fourth = await call(HEALTH)
    await answered(fourth)
    await silent[0]!.closed
    expect([served, silent[1]!, fourth].map(isOpen)).toEqual([true, true, true])
  })

  test('else the one that has been idle longest makes room', async () => {
    const served = [await call(HEALTH), await call(HEALTH), await call(HEALTH)]
    for (const caller of served) await answered(caller)
    served[0]!.socket.write(HEALTH)
    await until('second answer', () => served[0]!.heard().match(/"ok"/g)?.length === 2)
    await answered(await call(HEALTH))
    await Promise.race([served[1]!.closed, served[2]!.closed])
    expect(isOpen(served[0]!)).toBe(true)
  })

  test('and all of them are at work, one more is told so in JSON, and served when one has ended', async () => {
    const { key, waiting, unlock } = await withWritesThatWait()
    const body = JSON.stringify({ name: 'Busy' })
    const post = `POST /external/v1/contacts HTTP/1.1\r\nHost: here\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const busy = [await call(post), await call(post), await call(post)]
    await waiting(3)
    const refused = await call(HEALTH)
    await refused.closed
    expect(refused.heard()).toMatch(/^HTTP\/1\.1 503 .*\r\nRetry-After: 5\r\n.*Connection: close\r\n/s)
    expect(bodyOf(refused)).toMatchObject({ success: false, error: { code: 'SERVICE_UNAVAILABLE', retry_after: 5 } })
    await unlock()
    for (const caller of busy) await until('created', () => caller.heard().startsWith('HTTP/1.1 201'))
    await answered(await call(HEALTH))
  })
})

describe('a drain', () => {
  beforeEach(async () => {
    service = await startTestApp()
  })

  test('closes what is idle at once, and the answers that are due say that the connection ends with them', async () => {
    const agent = new Agent({ keepAlive: true })
    const { key, waiting, unlock } = await withWritesThatWait()
    const idle = [await call(), await call(HEALTH)]
    await answered(idle[1]!)
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
      request(`${service.base}/contacts`, { method: 'POST', agent, headers }, resolve)
        .once('error', reject)
        .end(JSON.stringify({ name: 'Last' }))
    })
    await waiting(1)
    let stopped = false
    const stopping = service.app.stop().then(() => {
      stopped = true
    })
    for (const caller of idle) await caller.closed
    await delay(50)
    expect(stopped).toBe(false)
    await unlock()
    const { statusCode, headers } = await answer
    expect([statusCode, headers.connection]).toEqual([201, 'close'])
    const begin = performance.now()
    await stopping
    // Milliseconds, where before it was the five seconds that the connection was kept.
    expect(performance.now() - begin).toBeLessThan(1000)
    agent.destroy()
  })

  test('waits for a request that has begun to come, but not for long', async () => {
    const half = HEALTH.indexOf('Host')
    const [late, never] = [await call(HEALTH.slice(0, half)), await call(HEALTH.slice(0, half))]
    await delay(50) // so that the first half is there
    const stopping = service.app.stop()
    late.socket.write(HEALTH.slice(half))
    await late.closed
    expect(late.heard()).toMatch(/Connection: close\r\n/)
    expect(bodyOf(late)).toEqual({ status: 'ok' })
    await never.closed
    await stopping
  })

  test('takes no new connection', async () => {
    await service.app.stop()
    await expect(createClient(service.origin).get('/contacts')).rejects.toThrow('fetch failed')
  })
})
