import { randomUUID } from 'node:crypto'
import { EXTERNAL } from '../../src/apis/external.js'
import { endpointsOf } from '../../src/app.js'
import { assembly } from '../../src/assembly.js'
import { createSchema } from '../../src/graphql/index.js'
import type { Endpoint } from '../../src/rest/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { callWith, nameOf, ownIds, sampleVariables, slotName } from '../support/calls.js'
import type { Answer } from '../support/client.js'
import { dumpOf } from '../support/dump.js'
import { hasFixture, type IdSlot, idSlots, World } from '../support/fixtures.js'

const endpoints = endpointsOf(EXTERNAL, createSchema(assembly))
const places = endpoints.flatMap((endpoint) =>
  idSlots(endpoint).map((slot) => [`${nameOf(endpoint)} with ${slotName(slot)}`, endpoint, slot] as const),
)

let service: TestApp
let stranger: World
beforeAll(async () => {
  // Row security would hide what a missing condition shows; accounts must be apart without it, as it is off by default.
  service = await startTestApp({ rowSecurity: false })
  stranger = await World.make(service)
})
afterAll(() => service.stop())

/** What an id means nothing without. */
const GOES_WITH: Readonly<Record<string, readonly string[]>> = {
  email_sender_id: ['send_template_email_id'],
  agent_channel_account_id: ['activate_agent_id'],
}

/** Makes the endpoint's call in an account, with only this one of the ids that are not required, and that id. */
async function callNaming(id: string, endpoint: Endpoint, slot: IdSlot, world: World): Promise<Answer> {
  const ids = await ownIds(endpoint, world)
  ids.set(slotName(slot), id)
  const optionalIds = new Set(idSlots(endpoint).map(({ parameter }) => parameter.name))
  const named = [slot.parameter.name, ...(GOES_WITH[slot.parameter.name] ?? [])]
  const wanted = (name: string) => named.includes(name) || (takesBody(endpoint) && !optionalIds.has(name))
  return callWith(world.client, endpoint, sampleVariables(endpoint, ids, wanted))
}

/** An account with those records alone that the endpoint takes ids of. */
async function bareWorld(endpoint: Endpoint): Promise<World> {
  const world = await World.bare(service)
  await ownIds(endpoint, world)
  return world
}

/** A write is made with all that it takes; a list with nothing but the id, so that nothing else filters. */
const takesBody = ({ parameters }: Endpoint) => parameters.some(({ source }) => source === 'body')

const PASSING = ['x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'date', 'content-length']

/** An answer without what differs between any two calls; the id that was sent is told as such. */
function shown({ status, headers, text }: Answer, id: string) {
  const kept = [...headers].filter(([name]) => !PASSING.includes(name))
  const body = text.replace(/"request_id":"[^"]*"/, '"request_id":""').replaceAll(id, 'the id')
  return { status, headers: Object.fromEntries(kept), body: withoutNew(body) }
}

/** What a call created has its own ids and times. */
const withoutNew = (text: string) =>
  text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'an id').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time')

test('every id that an endpoint takes has a fixture in test/support/fixtures.ts', () => {
  const missing = places.filter(([, , { key }]) => !hasFixture(key)).map(([place, , { key }]) => `${place} (${key})`)
  expect(missing).toEqual([])
  expect(places.length).toBeGreaterThan(0)
})

/** Mutations that leave no trace in an account. */
const KEEPS_NOTHING = ['ChatWithAiAgent']

describe.each(places)("%s of another account's record", (_, endpoint, slot) => {
  test('is answered as an id that does not exist, and changes nothing', async () => {
    const world = await bareWorld(endpoint)
    const theirs = await stranger.id(slot.key)
    const unknown = randomUUID()
    const before = {
      own: await dumpOf(service.database, world.accountId),
      other: await dumpOf(service.database, stranger.accountId),
    }

    expect(JSON.stringify(before.other)).toContain(theirs)
    const answer = await callNaming(theirs, endpoint, slot, world)
    expect(await dumpOf(service.database, stranger.accountId)).toEqual(before.other)
    const after = await dumpOf(service.database, world.accountId)
    // An action that failed does not undo the write beside it; nothing must refer to the other account even then.
    if (answer.status >= 400) expect(after).toEqual(before.own)
    expect(JSON.stringify(after)).not.toContain(theirs)

    const control = endpoint.operation.mutation && answer.status < 300 ? await bareWorld(endpoint) : world
    expect(shown(answer, theirs)).toEqual(shown(await callNaming(unknown, endpoint, slot, control), unknown))
  })

  test('is answered differently from one of the own account', async () => {
    const world = await World.make(service)
    const before = await dumpOf(service.database, world.accountId)
    const unknown = randomUUID()
    const refused = shown(await callNaming(unknown, endpoint, slot, world), unknown)
    const own = await world.id(slot.key)
    const answer = await callNaming(own, endpoint, slot, world)
    expect(answer.status).toBe(endpoint.mount.status)
    expect(shown(answer, own)).not.toEqual(refused)
    const changed = JSON.stringify(await dumpOf(service.database, world.accountId)) !== JSON.stringify(before)
    expect(changed).toBe(endpoint.operation.mutation && !KEEPS_NOTHING.includes(endpoint.operation.name))
  })
})

describe('lists without a filter', () => {
  const lists = endpoints.filter(
    ({ mount, parameters }) => mount.envelope === 'PAGE' && parameters.every((p) => !p.required),
  )

  test.each(lists.map((one) => [nameOf(one), one] as const))(
    '%s shows nothing of other accounts',
    async (_, endpoint) => {
      const world = await World.make(service)
      const { body } = await callWith(world.client, endpoint, {})
      expect(body.data.length).toBeGreaterThan(0)
      const own = JSON.stringify(await dumpOf(service.database, world.accountId))
      for (const { id } of body.data) expect(own).toContain(id)
    },
  )
})
