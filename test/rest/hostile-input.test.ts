import { Agent, request as httpRequest } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import fc from 'fast-check'
import { parsePhoneNumberFromString } from 'libphonenumber-js'
import { AGENCY } from '../../src/apis/agency.js'
import { EXTERNAL } from '../../src/apis/external.js'
import type { Api } from '../../src/rest/index.js'
import type { AgencyClient } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type HostileRequest, requestsTo, withIds } from '../support/hostile.js'
import { agencyWorld, externalWorld, type HostileWorld } from '../support/hostile-worlds.js'
import {
  AGENCY_API,
  answerSchema,
  checkAnswer,
  createAjv,
  type Described,
  EXTERNAL_API,
  type Json,
  type Operation,
  resolved,
} from '../support/openapi.js'

const FULL = process.env.FULL === 'true'
const REQUESTS = FULL ? 20_000 : 1000
const SEED = Number(process.env.SEED ?? 20_260_131)
const AT_ONCE = 8
/** Fewer for an operation would not be sure to meet both what is taken and what is refused. */
const LEAST = 48
/** So many batches find the same accounts; then what may be done only once there has been done. */
const TOGETHER = 25
const TIMEOUT = FULL ? 900_000 : 120_000

/**
 * Operations that may refuse a request that is as the document wants it, and why: rules that a schema does not tell.
 */
const PICKY: Record<string, string> = {
  updateOpportunity: 'a change of nothing is refused, and so is an email that another contact has',
  addCampaignContact: 'a contact comes into a campaign once, and fast-check likes to come back to values',
  addContactTags: 'the name of a tag is a single line',
  addInstagramProfile: 'an agent holds a profile once, and fast-check likes to come back to values',
  sendMessage: 'nobody is there to send to in a conversation without a channel account',
  handBackConversation: 'a conversation without an agent goes back to nobody',
  chatWithAiAgent: 'a conversation has something in it',
  runAiAgentAction: 'an agent does with a contact what is possible, and not twice',
  createSubAccount: 'a reference is given once and holds no line breaks, and fast-check likes to come back to values',
}

/** Where the record shows what was sent under another name, or not at all (null), by operation. */
const SHOWN_AS: Record<string, Record<string, string | null>> = {
  // Nothing is kept.
  chatWithAiAgent: { messages: null, lead_name: null, lead_company: null },
  // A contact that is recognised by its email keeps what it has.
  createOpportunity: {
    ...{ name: 'title', score: null, title: null, phone: null, email: null, company: null },
    ...{ location: null, headline: null, profile_url: null, profile_picture: null },
  },
  updateOpportunity: {
    ...{ name: 'title', score: null, title: 'contact_title', phone: 'contact_phone', email: 'contact_email' },
    ...{ company: 'contact_company', location: null, headline: null, profile_url: null, profile_picture: null },
  },
}

/** An API with its document, what its requests find, and its share of the requests. */
interface Target {
  api: Api
  described: Described
  makeWorld: (service: TestApp) => Promise<HostileWorld>
  share: number
}

const TARGETS: Target[] = [
  { api: EXTERNAL, described: EXTERNAL_API, makeWorld: externalWorld, share: 0.8 },
  { api: AGENCY, described: AGENCY_API, makeWorld: agencyWorld, share: 0.2 },
]

let service: TestApp
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
beforeAll(async () => {
  service = await startTestApp({ rowSecurity: false }) // as it is by default
})
afterAll(async () => {
  agent.destroy()
  await service.stop()
})

interface Sent {
  status: number
  headers: { get(name: string): string | null }
  body: Json
}

/** Sends a request byte by byte as it is; fetch would tidy the path. */
function send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const { hostname, port } = new URL(service.origin)
    const options = { agent, method, hostname, port, path, headers: { ...headers, ...length } }
    const request = httpRequest(options, async (response) => {
      try {
        const text = await readText(response)
        const get = (name: string) => (response.headers[name.toLowerCase()] as string | undefined) ?? null
        resolve({ status: response.statusCode!, headers: { get }, body: text ? JSON.parse(text) : undefined })
      } catch (error) {
        reject(error)
      }
    })
    request.on('error', reject)
    request.end(body)
  })
}

const tidy = (text: string) => text.replaceAll('\r\n', '\n').trim()

/** JSON with members in order and without -0, so that equal values are equal texts. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value === 'number') return String(value) // an infinite one is no null
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join()}}`
}

const isEmpty = (value: unknown) => value === null || (typeof value === 'string' && tidy(value) === '')

/** What the service makes of a value; undefined where a default takes its place. */
function normalised(name: string, sent: unknown, shown: Json): unknown[] {
  if (isEmpty(sent)) {
    if (shown.type === 'array') return [[]]
    return allowsNull(shown) ? [null] : []
  }
  if (typeof sent === 'string') {
    const text = tidy(sent)
    return name === 'phone' ? [text, parsePhoneNumberFromString(text, 'BR')?.number] : [text]
  }
  if (!Array.isArray(sent)) return [sent]
  // A list of ids comes back as the records, in an order of their own.
  if (shown.items?.properties?.id) return [[...new Set(sent.map((id) => String(id).toLowerCase()))].sort()]
  return [sent.filter((item) => !isEmpty(item)).map((item) => (typeof item === 'string' ? tidy(item) : item))]
}

const allowsNull = ({ type, anyOf }: Json) => type?.includes('null') || anyOf?.some((one: Json) => one.type === 'null')

const shownValue = (value: unknown): unknown =>
  Array.isArray(value) && value[0]?.id ? value.map(({ id }: Json) => id).sort() : value

/** The types alone: lengths and formats count after the text was tidied, and an empty text stands for null or no choice. */
function typesOf(schema: Json): Json {
  const { format, pattern, minLength, maxLength, ...kept } = schema
  if (kept.items) kept.items = typesOf(kept.items)
  if (kept.anyOf) kept.anyOf = kept.anyOf.map(typesOf)
  if (kept.properties) {
    const members = Object.entries<Json>(kept.properties).map(([name, of]) => [name, typesOf(of)])
    kept.properties = Object.fromEntries(members)
  }
  return kept.enum ? { anyOf: [kept, { type: 'string', pattern: '^\\s*$' }] } : kept
}

const ajv = createAjv()
const SANE_ID = /^[A-Za-z0-9._-]{1,128}$/

function parsed(body: string | undefined): unknown {
  try {
    return body ? JSON.parse(body.replace(/^\ufeff/, '')) : {}
  } catch {
    return undefined
  }
}

/** What an agency's write was answered with is what its event holds, but for the password. */
async function expectBooked({ event_id, data: { temporary_password, ...data } }: Json, client: AgencyClient) {
  const { body } = await client.event(event_id)
  expect(body.data).toMatchObject({ result: data, error_code: null })
}

describe.each(TARGETS)('the $api.name API', ({ api, described, makeWorld, share }) => {
  const { document, operations } = described
  /** One for each of the requests that run at once, so that they do not change each other's records. */
  let worlds: HostileWorld[]
  const makeWorlds = async () => {
    worlds = await Promise.all(Array.from({ length: AT_ONCE }, () => makeWorld(service)))
  }
  beforeAll(makeWorlds)

  const bodySchema = ({ object }: Operation): Json | undefined =>
    object.requestBody && resolved(object.requestBody.content['application/json'].schema, document)

  /** Reads what a write accepted, where its resource can be read, and compares it with what was sent. */
  async function expectKept(
    operation: Operation,
    sent: Json,
    answer: Json,
    path: string,
    world: HostileWorld,
  ): Promise<void> {
    if (world.client) return expectBooked(answer, world.client)
    const template = operation.method === 'POST' ? `${operation.path}/{id}` : operation.path
    const reading = operations.find((one) => one.method === 'GET' && one.path === template)
    if (!reading) return
    const at = operation.method === 'POST' ? `${operation.path}/${answer.data.id}` : path
    const { status, body } = await send('GET', api.base + at, world.headers)
    expect(status).toBe(200)
    expect(body.data).toMatchObject(answer.data)
    const { properties } = answerSchema(reading, 200, document)!.properties.data
    const names = SHOWN_AS[operation.object.operationId] ?? {}
    for (const name of Object.keys(bodySchema(operation)!.properties)) {
      const as = name in names ? names[name] : name
      if (!Object.hasOwn(sent, name) || !as || !properties[as]) continue
      const expected = normalised(name, sent[name], properties[as]).map(canonical)
      if (expected.length > 0) expect(expected).toContain(canonical(shownValue(body.data[as])))
    }
  }

  // Deletions come last: in what is left of a conversation with a contact that was deleted nothing can be sent.
  const inOrder = operations.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))
  describe.each(inOrder.map((one) => [`${one.method} ${one.path}`, one] as const))('%s', (_, operation) => {
    const parts = operations.map((one) => (bodySchema(one) ? 3 : 1)).reduce((a, b) => a + b, 0)
    const count = Math.max(LEAST, Math.ceil((REQUESTS * share * (bodySchema(operation) ? 3 : 1)) / parts))
    const schema = bodySchema(operation)
    const hasTypes = schema && ajv.compile(typesOf(schema))
    let accepted = 0
    let refused = 0

    /** One request in one account. */
    const hold = async (request: HostileRequest, world: HostileWorld): Promise<void> => {
      await world.rest?.()
      const url = await withIds(request.url, (key) => world.id(key))
      const body = request.body === undefined ? undefined : await withIds(request.body, (key) => world.id(key))
      const answer = await send(operation.method, api.base + url, { ...world.headers, ...request.headers }, body)
      expect(answer.status).toBeLessThan(500)
      checkAnswer(operation.method, url, answer, described)
      const givenId = request.headers['x-request-id'] ?? ''
      expect(answer.headers.get('x-request-id') === givenId).toBe(SANE_ID.test(givenId))
      const success = answer.status < 300
      if (success) accepted++
      else refused++
      if (request.valid && !PICKY[operation.object.operationId])
        expect({ ...api.success, ...answer.body }).toEqual({ ...answer.body, ...api.success })
      if (success && hasTypes) await holdAccepted(body, answer, url.replace(/\?.*/, ''), world)
      if (success && operation.method === 'DELETE')
        for (const [, key] of request.url.matchAll(/@id\(([^)]*)\)/g)) world.forget(key!)
    }

    const holdAccepted = async (body: string | undefined, answer: Sent, path: string, world: HostileWorld) => {
      const sent = parsed(body)
      expect({ sent, hasItsTypes: hasTypes!(sent) }).toEqual({ sent, hasItsTypes: true })
      const replayed = answer.headers.get('idempotent-replayed') !== null
      if (!replayed) await expectKept(operation, sent as Json, answer.body, path, world)
    }

    test(
      'takes any request without a fault of its own, and keeps what it accepts',
      async () => {
        const batch = fc.array(requestsTo(operation, document), { minLength: AT_ONCE, maxLength: AT_ONCE })
        let batches = 0
        const property = fc.asyncProperty(batch, async (requests) => {
          if (++batches % TOGETHER === 0) await makeWorlds()
          // All come to their end before fast-check looks for a smaller case in the same worlds.
          const held = await Promise.allSettled(requests.map((request, i) => hold(request, worlds[i]!)))
          for (const one of held) if (one.status === 'rejected') throw one.reason
        })
        await fc.assert(property, { seed: SEED, numRuns: Math.ceil(count / AT_ONCE) })
        expect(service.logs().filter(({ level }) => level === 'error')).toEqual([])
        // Both kinds of answers were looked at.
        expect(accepted).toBeGreaterThan(count / 20)
        expect(refused).toBeGreaterThan(0)
      },
      TIMEOUT,
    )
  })
})
