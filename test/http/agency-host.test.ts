import { request } from 'node:http'
import { connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { makeAgency, newClient, type TestAgency } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeTenant, type Tenant } from '../support/factories.js'
import type { Json } from '../support/openapi.js'

const HOST = 'agencies.example'
const ELSEWHERE = 'api.example'

type Headers = Record<string, string | string[]>

let service: TestApp
let tenant: Tenant
let agency: TestAgency
afterAll(() => service.stop())

interface Told {
  status: number
  headers: NodeJS.Dict<string | string[]>
  body: Json
}

/** Asks under a host; fetch would name its own. */
function ask(method: string, path: string, headers: Headers, body?: object): Promise<Told> {
  return new Promise((resolve, reject) => {
    const sent = body === undefined ? {} : { 'Content-Type': 'application/json' }
    const options = { method, host: '127.0.0.1', port: service.app.port, path, headers: { ...sent, ...headers } }
    const asked = request(options, async (response) => {
      const text = await readText(response)
      const json = response.headers['content-type']?.startsWith('application/json')
      resolve({ status: response.statusCode!, headers: response.headers, body: json ? JSON.parse(text) : { text } })
    })
    asked.on('error', reject)
    asked.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Sends what no client of HTTP would, and reads the status of the answer. */
function sendRaw(lines: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(service.app.port, '127.0.0.1', () => socket.write([...lines, '', ''].join('\r\n')))
    socket.on('error', reject).once('data', (data) => {
      resolve(Number(String(data).split(' ')[1]))
      socket.destroy()
    })
  })
}

const API = '/api/webhooks/agency'
const bearer = () => ({ Authorization: `Bearer ${agency.token}` })
const create = (host: string, headers: Headers = {}) =>
  ask('POST', `${API}/${agency.agencyKey}/sub-accounts`, { Host: host, ...bearer(), ...headers }, newClient())

/** What of the service can be reached under a host: the paths that are not unknown. */
async function reached(host: string, headers: Headers = {}): Promise<string[]> {
  const key = { 'X-API-Key': tenant.key }
  const asked: [string, string, Headers?][] = [
    ['GET', `${API}/${agency.agencyKey}/events/x`, bearer()],
    ['GET', '/openapi/agency.json'],
    ['GET', '/external/v1/contacts', key],
    ['GET', '/external/v1', key],
    ['GET', '/openapi.json'],
    ['POST', '/graphql', key],
    ['GET', '/healthz'],
    ['GET', '/readyz'],
    ['GET', '/metrics'],
    ['GET', '/'],
  ]
  const found: string[] = []
  for (const [method, path, more] of asked) {
    const { status, body } = await ask(method, path, { Host: host, ...headers, ...more })
    if (status !== 404 || body.error.code === 'EVENT_NOT_FOUND') found.push(path.replace(agency.agencyKey, 'KEY'))
  }
  return found
}

const AGENCY_SITE = [`${API}/KEY/events/x`, '/openapi/agency.json', '/healthz', '/readyz']
const OTHER_SITE = [
  '/external/v1/contacts',
  '/external/v1',
  '/openapi.json',
  '/graphql',
  '/healthz',
  '/readyz',
  '/metrics',
]

const start = async (settings: Parameters<typeof startTestApp>[0]) => {
  await service?.stop()
  service = await startTestApp(settings)
  tenant = await makeTenant(service)
  // Its client calls under the address of the test, and is not used here.
  agency = await makeAgency(service)
}

describe('without AGENCY_HOST', () => {
  beforeAll(() => start({}))

  test('everything is reached under any host', async () => {
    const everything = [...new Set([...AGENCY_SITE, ...OTHER_SITE])].toSorted()
    for (const host of [HOST, ELSEWHERE]) expect((await reached(host)).toSorted()).toEqual(everything)
  })
})

describe.each([
  ['behind no proxy', false],
  ['behind a proxy', 1],
  ['behind any proxies', true],
] as const)('with AGENCY_HOST, %s', (_, trustProxy) => {
  beforeAll(() => start({ agencyHost: HOST, trustProxy }))

  test.each([HOST, `${HOST}:4000`, HOST.toUpperCase(), `${HOST}.`])(
    'under %s there are the agency API, its document and the health checks alone',
    async (host) => {
      expect(await reached(host)).toEqual(AGENCY_SITE)
    },
  )

  test.each([ELSEWHERE, '127.0.0.1:4000', '[::1]:4000', `x.${HOST}`, `${HOST}.evil.example`, `evil${HOST}`, ':', ''])(
    'under %j there is all but the agency API and its document',
    async (host) => {
      expect(await reached(host)).toEqual(OTHER_SITE)
    },
  )

  test('a write goes where the API is, and is an unknown route elsewhere, before anything is looked at', async () => {
    const there = await create(HOST)
    expect([there.status, there.body.ok]).toEqual([201, true])
    const elsewhere = await create(ELSEWHERE)
    expect([elsewhere.status, elsewhere.body]).toEqual([
      404,
      {
        success: false,
        error: { code: 'NOT_FOUND', message: expect.any(String), request_id: elsewhere.headers['x-request-id'] },
      },
    ])
    const { rows } = await service.database.pool.query('select id from agency_event where agency_id = $1', [
      agency.agencyId,
    ])
    expect(rows).toHaveLength(1)
  })

  test('what is unknown there is told as the agency API tells it', async () => {
    for (const path of ['/', '/external/v1/contacts', '/openapi.json', '/nowhere']) {
      const { status, body } = await ask('GET', path, { Host: HOST, 'X-API-Key': tenant.key })
      expect([status, body.ok, body.error.code]).toEqual([404, false, 'NOT_FOUND'])
    }
  })

  test('a preflight is let through to either', async () => {
    const asks = { Origin: 'https://page.example', 'Access-Control-Request-Method': 'POST' }
    for (const host of [HOST, ELSEWHERE]) {
      const { status, headers } = await ask('OPTIONS', `${API}/x/sub-accounts`, { Host: host, ...asks })
      expect([status, headers['access-control-allow-origin']]).toEqual([204, '*'])
    }
  })

  test('no X-Forwarded-Host and no Forwarded leads from one to the other', async () => {
    for (const [host, claimed, site] of [
      [ELSEWHERE, HOST, OTHER_SITE],
      [HOST, ELSEWHERE, AGENCY_SITE],
    ] as const) {
      expect(await reached(host, { 'X-Forwarded-Host': claimed })).toEqual(site)
      expect(await reached(host, { 'X-Forwarded-Host': `${host}, ${claimed}`, Forwarded: `host=${claimed}` })).toEqual(
        site,
      )
    }
    expect((await create(ELSEWHERE, { 'X-Forwarded-Host': HOST })).status).toBe(404)
  })

  test('the host of a whole address in the request line counts before that of the headers', async () => {
    const asking = (url: string, host: string) => sendRaw([`GET ${url} HTTP/1.1`, `Host: ${host}`])
    const [there, elsewhere] = [HOST, ELSEWHERE].map((host) => `http://${host}:80/openapi/agency.json`)
    expect(await asking(there!, ELSEWHERE)).toBe(200)
    expect(await asking(elsewhere!, HOST)).toBe(404)
    expect(await asking(`http://${HOST}@${ELSEWHERE}/openapi/agency.json`, HOST)).toBe(404)
  })

  test('who names two hosts is refused, since a proxy may have taken the other', async () => {
    const document = 'GET /openapi/agency.json HTTP/1.1'
    expect(await sendRaw([document, `Host: ${HOST}`, `Host: ${ELSEWHERE}`])).toBe(400)
    expect(await sendRaw([document, `Host: ${ELSEWHERE}`, `Host: ${HOST}`])).toBe(400)
  })

  test('HTTP/1.0 without a host does not reach it', async () => {
    expect(await sendRaw(['GET /openapi/agency.json HTTP/1.0'])).toBe(404)
    expect(await sendRaw(['GET /healthz HTTP/1.0'])).toBe(200)
  })
})
