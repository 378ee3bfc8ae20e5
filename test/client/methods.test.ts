import {
  type AnswerHead,
  Fairlead,
  FairleadAgency,
  isDone,
  isPending,
} from '../../schema/clients/typescript/src/index.js'
import { EXTERNAL } from '../../src/apis/external.js'
import { endpointsOf } from '../../src/app.js'
import { assembly } from '../../src/assembly.js'
import { createSchema } from '../../src/graphql/index.js'
import type { Endpoint } from '../../src/rest/index.js'
import { makeAgency, newClient } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { argumentsOf, nameOf, ownIds, sampleVariables } from '../support/calls.js'
import { World } from '../support/fixtures.js'
import { AGENCY_API, checkAnswer, EXTERNAL_API, type Json } from '../support/openapi.js'

const endpoints = endpointsOf(EXTERNAL, createSchema(assembly)).map((one) => [nameOf(one), one] as const)

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

/** `GET /contacts/{id}` of what was asked for last, and its answer held against the document. */
function watched(base: string, api = EXTERNAL_API) {
  const asked: string[] = []
  const watch: typeof fetch = async (url, init) => {
    const response = await fetch(url as string, init)
    const { pathname, search } = new URL(url as string)
    const path = pathname.slice(base.length)
    asked.push(`${init!.method} ${path}`)
    const body = (await response.clone().json()) as Json
    checkAnswer(init!.method!, path + search, { status: response.status, headers: response.headers, body }, api)
    return response
  }
  return { asked, watch }
}

type Method = (...given: unknown[]) => Promise<{ http: AnswerHead }>

/** Calls the method of an endpoint with an example of everything that it takes. */
async function callWhole(fairlead: Fairlead, endpoint: Endpoint, world: World) {
  const { operation, parameters } = endpoint
  const given = argumentsOf(
    endpoint,
    sampleVariables(endpoint, await ownIds(endpoint, world), () => true),
  )
  const from = (source: string) => parameters.filter((one) => one.source === source && given[one.name] !== undefined)
  const members = (source: string) => Object.fromEntries(from(source).map(({ name }) => [name, given[name]]))
  const path = from('path').map(({ name }) => given[name])
  const has = (source: string) => parameters.some((one) => one.source === source)
  const rest = [...(has('body') ? [members('body')] : []), ...(has('query') ? [members('query')] : [])]
  const id = operation.name[0]!.toLowerCase() + operation.name.slice(1)
  return (fairlead as unknown as Record<string, Method>)[id]!(...path, ...rest, { strict: true })
}

test.each(endpoints)('%s is a method, which sends all that the endpoint takes', async (name, endpoint) => {
  const world = await World.make(service)
  const { asked, watch } = watched(EXTERNAL.base)
  const fairlead = new Fairlead({ baseUrl: service.base, apiKey: world.key, fetch: watch })
  const { http } = await callWhole(fairlead, endpoint, world)
  expect(http).toMatchObject({ status: endpoint.mount.status, attempts: 1, replayed: false })
  expect(http.rateLimit!.reset.getTime()).toBeGreaterThan(Date.now())
  const pattern = new RegExp(`^${name.replaceAll(/:\w+/g, '[^/]+')}$`)
  expect(asked).toEqual([expect.stringMatching(pattern)])
})

test('each endpoint of both documents is a method of its own', () => {
  const classes = [
    [EXTERNAL_API, Fairlead],
    [AGENCY_API, FairleadAgency],
  ] as const
  for (const [{ operations }, { prototype }] of classes) {
    for (const { object } of operations) expect(prototype).toHaveProperty(object.operationId, expect.any(Function))
  }
})

test('an agency makes a client, gives it seats by both methods, follows the events and ends it', async () => {
  const { agencyKey, token } = await makeAgency(service)
  const { watch } = watched('/api/webhooks/agency', AGENCY_API)
  const agency = new FairleadAgency({ baseUrl: service.origin, agencyKey, token, fetch: watch })
  const created = await agency.createSubAccount({ ...newClient(), external_ref: 'a/b', include_credentials: true })
  if (isPending(created)) throw new Error('a creation without seats is done at once')
  expect(created.data.temporary_password).toEqual(expect.any(String))
  const { temporary_password: _, ...lasting } = created.data
  const creation = await agency.endOfEvent(created.event_id)
  if (!isDone(creation, 'sub_account.create')) throw new Error(`it is ${creation.status}`)
  expect([creation.result.admin.email, creation.result]).toEqual([lasting.admin.email, lasting])
  expect(isDone(creation, 'sub_account.delete')).toBe(false)
  const raised = await agency.updateSubAccountChannels('ext:a/b', { channels: { whatsapp: 2 } })
  expect(isPending(raised)).toBe(false)
  const again = await agency.updateSubAccountChannelsByPost(created.data.id, { channels: { whatsapp: 2 } })
  const states = []
  for await (const { action, status } of agency.followEvent(again.event_id)) states.push([action, status])
  expect(states).toEqual([['sub_account.channels.update', 'ignored']])
  const change = await agency.endOfEvent(raised.event_id)
  expect(change).toMatchObject({ status: 'processed', attempts: 1 })
  expect(isDone(change, 'sub_account.channels.update') && change.result.channels.whatsapp).toBe(2)
  const ended = await agency.deleteSubAccount(created.data.id, { idempotencyKey: 'end' })
  expect(await agency.deleteSubAccount(created.data.id, { idempotencyKey: 'end' })).toEqual(ended)
  const refused = await agency.updateSubAccountChannels('ext:a/b', { channels: {} }).catch((error) => error)
  expect(refused).toMatchObject({ status: 404 })
})
