import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { GraphQLField } from 'graphql'
import { EXTERNAL } from '../../src/apis/external.js'
import { endpointsOf } from '../../src/app.js'
import { assembly } from '../../src/assembly.js'
import { readConfig } from '../../src/config.js'
import { compactAll, sweepIdempotencyRecords } from '../../src/database/index.js'
import { startFlowWorker } from '../../src/domains/flows/index.js'
import { createSchema } from '../../src/graphql/index.js'
import { newId } from '../../src/shared/ids.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { callWith, nameOf } from '../support/calls.js'
import type { Client } from '../support/client.js'
import { Deadlocks, NONE } from '../support/deadlocks.js'
import { EVERYTHING, makeTenant, type Tenant } from '../support/factories.js'
import { Storm } from '../support/storm.js'

const FULL = process.env.FULL === 'true'
const WRITES = FULL ? 5000 : 1000
/** What has not succeeded once by then is tried on for that many times as long. */
const PATIENCE = 9
const WRITERS = 12
/**
 * How much longer than the middle one a call may take: ten times the 500 ms that hold on a machine that does nothing
 * else, where the middle one takes 40 ms. A deadlock, which takes a second, is counted anyhow. What the test itself waited
 * for a core comes on top: others who keep the machine busy are not the calls' fault.
 */
const SLOWER_MS = 5000

/** Milliseconds that this process was ready to run and had no core. */
const waitedForCore = () => Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6

// In the order of locks: first the contact, then the opportunity.
const CONVERSE = `with c as materialized (
    select id from contact where account_id = $1 order by random() limit 1 for no key update),
  o as materialized (
    select id from opportunity where account_id = $1 and (select id from c) is not null
    order by random() limit 1 for no key update)
  insert into conversation (id, account_id, channel, contact_id, opportunity_id)
  select gen_random_uuid(), $1, 'WHATSAPP', c.id, o.id from c, o
  where (select count(*) from conversation where account_id = $1) < 8`

/**
 * Mutations that a key may have the permission for and that are not about keys, whose end would be the storm's. Whether a
 * sender's address is the account's is for name servers to say.
 */
const isOfRecords = ({ name, extensions }: GraphQLField<unknown, unknown>) =>
  /^(?!agencies).*:/.test(String(extensions.access)) && !/ApiKey$|^verifyEmailSender$/.test(name)

/** Mutations that are made too, but need a record in a state that the storm gives it too seldom for one to succeed. */
const RARE = [
  'stopFlowEnrollment',
  'retryFlowEnrollment',
  'retryFailedJob',
  'dismissFailedJob',
  'connectChannel',
  'updateChannelAccount',
  'disconnectChannel',
  'sendMessage',
  'runAiAgentAction',
  'updateAiBudget',
  'POST /ai-agents/:id/actions',
  'handBackConversation',
  'POST /conversations/:id/messages',
  'POST /conversations/:id/hand-back',
]

let service: TestApp
let tenant: Tenant
beforeAll(async () => {
  // The full counts are for a quiet machine, and hold with the product's own limits of time.
  const { lockMs, statementMs, acquireTimeoutMs } = readConfig({})
  const limits = FULL ? { lockMs, statementMs, acquireTimeoutMs } : {}
  service = await startTestApp({ poolSize: WRITERS + 6, rowSecurity: false, ...limits })
  tenant = await makeTenant(service, { permissions: EVERYTHING })
})
afterAll(() => service.stop())

interface Outcome {
  name: string
  status: number
  code?: string
  ms: number
}

test('no writes wait for each other in a circle, whatever is done at once to a few records', async () => {
  const schema = createSchema(assembly)
  const mutations = Object.values(schema.getMutationType()!.getFields()).filter(isOfRecords)
  const endpoints = endpointsOf(EXTERNAL, schema).filter(({ mount }) => mount.method !== 'GET')
  const storm = new Storm(service.database, tenant.accountId)
  const { client, accountId } = tenant
  const keyed: Client = {
    ...client,
    call: (method, path, options) =>
      client.call(method, path, { ...options, headers: { ...options?.headers, 'Idempotency-Key': newId() } }),
  }
  const outcomes: Outcome[] = []
  const missing = new Set([...mutations.map(({ name }) => name), ...endpoints.map(nameOf)])
  for (const name of RARE) missing.delete(name)
  const note = (outcome: Outcome) => {
    outcomes.push(outcome)
    if (!outcome.code && outcome.status < 300) missing.delete(outcome.name)
  }
  const goesOn = () => outcomes.length < (missing.size > 0 ? PATIENCE * WRITES : WRITES)

  const places = [...mutations.map(({ name }) => name), ...[1, 2, 3].flatMap(() => endpoints.map(nameOf))]
  /** What is written next: anything, and once there was enough of it, mostly what has not succeeded yet. */
  const next = (): number => {
    const wanted = outcomes.length < WRITES || Math.random() < 0.3 ? [] : [...missing]
    if (wanted.length > 0) return places.indexOf(wanted[Math.floor(Math.random() * wanted.length)]!)
    return Math.floor(Math.random() * places.length)
  }
  const write = async () => {
    const at = next()
    const begin = performance.now()
    const field = mutations[at]
    if (field) {
      const made = storm.mutation(field)
      if (!made) return
      const { status, body } = await client.graphql(made.query, made.variables)
      const code = body.errors?.[0]?.extensions?.code
      note({ name: field.name, status, code, ms: performance.now() - begin })
    } else {
      const endpoint = endpoints[(at - mutations.length) % endpoints.length]!
      const variables = storm.call(endpoint)
      if (!variables) return
      const { status, body } = await callWith(Math.random() < 0.5 ? client : keyed, endpoint, variables)
      note({ name: nameOf(endpoint), status, code: body?.error?.code, ms: performance.now() - begin })
    }
  }
  const writer = async () => {
    while (goesOn()) await write()
  }
  const observer = async () => {
    while (goesOn()) {
      await storm.look()
      await converse()
      await delay(20)
    }
  }
  /** Now and then a conversation; the contact and the opportunity that it is about need not belong together. */
  const converse = async () => {
    await service.database.pool.query(CONVERSE, [accountId]).catch(() => {}) // one of the two has just been deleted
  }
  /** What the worker does now and then, all the time and at once. */
  const upkeeper = async () => {
    const { database } = service
    while (goesOn()) {
      for (const tally of assembly.tallies) await compactAll(database.pool, tally, 0)
      await sweepIdempotencyRecords(database, 0)
      await delay(50)
    }
  }
  // Steps of flows happen beside, by two workers: what they wait for, and what waits for them, is the same few records.
  const failures: unknown[] = []
  const log = (error: unknown) => failures.push(error)
  const workers = [1, 2].map(() => startFlowWorker({ database: service.database, log, pollMs: 20 }))
  const deadlocks = await Deadlocks.watch(service.database)
  const waited = waitedForCore()
  await storm.look()
  await Promise.all([observer(), upkeeper(), upkeeper(), ...Array.from({ length: WRITERS }, writer)])

  await Promise.all(workers.map((worker) => worker.stop()))
  expect(failures).toEqual([])

  const broken = outcomes.filter(
    ({ status, code }) => status >= 500 || code === 'SERVICE_UNAVAILABLE' || code === 'INTERNAL_ERROR',
  )
  expect({ broken, log: broken.length > 0 ? service.logs().filter(({ level }) => Number(level) >= 40) : [] }).toEqual({
    broken: [],
    log: [],
  })
  expect(await deadlocks.found()).toEqual(NONE)
  const times = outcomes.map(({ ms }) => ms).sort((a, b) => a - b)
  const middle = times[times.length >> 1]!
  expect(times.at(-1)! - middle).toBeLessThan(SLOWER_MS + waitedForCore() - waited)
  expect([...missing]).toEqual([])
}, 900_000)
