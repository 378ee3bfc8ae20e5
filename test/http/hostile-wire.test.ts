import fc from 'fast-check'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeTenant, type Tenant } from '../support/factories.js'
import { answersIn, overWire, type RawAnswer, type Wire, wiresWith } from '../support/hostile/wire.js'

const FULL = process.env.FULL === 'true'
const WIRES = FULL ? 50_000 : 400
const SEED = Number(process.env.SEED ?? 20_260_131)
const AT_ONCE = 40
const TOGETHER = 400

let service: TestApp
let tenant: Tenant
beforeAll(async () => {
  service = await startTestApp()
  tenant = await makeTenant(service, { rateLimit: 1_000_000_000 })
})
afterAll(() => service?.stop())

/** What is wrong with an answer; nothing if it is one of ours. */
function faultOf({ status, headers, body }: RawAnswer, isHead: boolean): string | undefined {
  if (status >= 500) return `answered ${status}`
  if (!headers.get('x-request-id')) return `${status} without a request id`
  if (isHead || status === 204 || status === 304 || status === 302 || status === 301) return undefined
  const type = headers.get('content-type') ?? ''
  if (status < 400 && !type.includes('json')) return undefined // the pages and what they load
  if (!type.includes('application/json')) return `${status} of type ${type}`
  const told = JSON.parse(body.toString()) as Record<string, unknown> & { error?: { code?: string; message?: string } }
  if (status < 400) return undefined
  if (Array.isArray(told.errors)) return undefined // /graphql
  if (told.jsonrpc === '2.0') return undefined // /mcp
  const { code, message } = told.error ?? {}
  const isOurs =
    typeof code === 'string' && typeof message === 'string' && (told.success === false || told.ok === false)
  return isOurs ? undefined : `${status} outside of the envelope: ${body}`
}

/** What is wrong with what came back. */
async function faultsOf(wire: Wire): Promise<string[]> {
  const { port } = new URL(service.origin)
  const bytes = await overWire(Number(port), wire)
  if (wire.end === 'goes') return []
  const answers = answersIn(bytes, wire.methods)
  const faults = answers.map((answer, i) => faultOf(answer, wire.methods[i] === 'HEAD')).filter((fault) => !!fault)
  // What is no request is answered once, and that is the end of the connection.
  if (answers.length > wire.methods.length + 1) faults.push(`${answers.length} answers to ${wire.methods.length}`)
  const closed = answers.findIndex(({ headers }) => headers.get('connection') === 'close')
  if (closed >= 0 && closed < answers.length - 1)
    faults.push(`answers after the end: ${answers.map(({ status }) => status)}`)
  const expected = closed < 0 ? wire.methods.length : closed + 1
  if (wire.legible && answers.length !== expected) faults.push(`${answers.length} answers, and not ${expected}`)
  return faults as string[]
}

test(
  `${WIRES} connections that say anything are answered in JSON or not at all, never with 5xx, and the server stays well`,
  async () => {
    const wrong: string[] = []
    let legible = 0
    for (let sent = 0; sent < WIRES && wrong.length < 5; sent += TOGETHER) {
      // No more at once: fast-check remembers what it drew for each of them.
      const wires = fc.sample(wiresWith(tenant.key), { numRuns: TOGETHER, seed: SEED + sent })
      legible += wires.filter((wire) => wire.legible).length
      const lines = Array.from({ length: AT_ONCE }, async () => {
        for (let wire = wires.pop(); wire; wire = wires.pop()) {
          const { end, bytes } = wire
          const faults = await faultsOf(wire).catch((error: Error) => [error.message])
          const said = JSON.stringify(bytes.toString('latin1').slice(0, 1500))
          wrong.push(...faults.map((fault) => `${fault}, to ${end} ${said}`))
        }
      })
      await Promise.all(lines)
    }
    expect(wrong).toEqual([])
    expect(legible).toBeGreaterThan(WIRES / 20)
    expect(service.logs().filter(({ level }) => level === 'error')).toEqual([])
    expect((await tenant.client.get('/contacts')).status).toBe(200)
  },
  FULL ? 7_200_000 : 60_000,
)

const LOGIN = JSON.stringify({ query: 'mutation { login(email: "a@b.example", password: "nobody has it") { token } }' })
/** What takes a while to be answered, since a password is hashed. */
const SLOW = `POST /graphql HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: ${LOGIN.length}\r\n\r\n${LOGIN}`

async function answersTo(...requests: string[]): Promise<number[]> {
  const methods = requests.map((request) => request.slice(0, request.indexOf(' ')))
  const wire: Wire = { bytes: Buffer.from(requests.join('')), methods, legible: true, end: 'waits' }
  const bytes = await overWire(Number(new URL(service.origin).port), wire)
  return answersIn(bytes, methods).map(({ status }) => status)
}

test('what is no request is answered after what came before it', async () => {
  expect(await answersTo(SLOW, 'GET / HTTP/9.9\r\nHost: here\r\n\r\n')).toEqual([200, 400])
})

test('who asks whether to send a body is told so before the answer and not amid it, be that ready before its turn', async () => {
  const body = '{"variables":{}}'
  const request =
    `POST /graphql HTTP/1.1\r\nHost: here\r\nX-API-Key: ${tenant.key}\r\nExpect: 100-continue\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  expect(await answersTo(SLOW, request)).toEqual([200, 400])
})

test.each(['HEAD', 'GET'])(
  'a %s that was answered before its body proved unreadable is not answered again',
  async (method) => {
    const request = `${method} /external/v1/contacts HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`
    expect(await answersTo(SLOW, request)).toEqual([200, 401])
  },
)
