import { randomUUID } from 'node:crypto'
import { EXTERNAL } from '../../src/apis/external.js'
import { endpointsOf, toolsFor } from '../../src/app.js'
import { assembly } from '../../src/assembly.js'
import { createSchema } from '../../src/graphql/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { argumentsOf, callWith, ownIds, sampleVariables } from '../support/calls.js'
import type { Client } from '../support/client.js'
import { makeTenant } from '../support/factories.js'
import { World } from '../support/fixtures.js'
import { hold, untilHeld } from '../support/holding.js'
import { callTool, connectAssistant, post, wordsOf } from '../support/mcp.js'

// The same call over both doors, of a program and of an assistant that were told the same name for it.

const schema = createSchema(assembly)
const endpoints = endpointsOf(EXTERNAL, schema)
const named = toolsFor(schema, endpoints).filter(({ endpoint }) => endpoint.mount.idempotent)

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const withKey = (client: Client, key: string): Pick<Client, 'call'> => ({
  call: (method, path, { headers, ...rest } = {}) =>
    client.call(method, path, { ...rest, headers: { ...headers, 'Idempotency-Key': key } }),
})

test('there are tools whose calls take a name', () => {
  expect(named.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['create_contact', 'create_opportunity', 'send_message', 'run_ai_agent_action']),
  )
})

describe.each(named.map((tool) => [tool.name, tool] as const))('%s', (name, tool) => {
  async function prepare() {
    const world = await World.bare(service)
    const mounted = endpoints.find(({ operation }) => operation.name === tool.endpoint.operation.name)!
    const ids = await ownIds(mounted, world)
    const variables = sampleVariables(mounted, ids, (parameter) => ids.has(parameter))
    const assistant = await connectAssistant(service.origin, world.key)
    await assistant.listTools() // the client holds answers against the schema
    const key = randomUUID()
    const records = async () => {
      const { rows } = await service.database.pool.query(
        `select count(*)::int as calls from idempotency_record where account_id = $1`,
        [world.accountId],
      )
      return rows[0].calls
    }
    return {
      key,
      records,
      assistant,
      overRest: () => callWith(withKey(world.client, key), mounted, variables),
      asTool: (more: object = {}) =>
        callTool(assistant, name, { ...argumentsOf(tool.endpoint, variables), ...more, idempotency_key: key }),
    }
  }

  test('that is repeated over REST by its name is not done again, and answered as REST answers', async () => {
    const { assistant, asTool, overRest, records } = await prepare()
    const first = await asTool()
    const { status, body, headers } = await overRest()
    expect({ status, body }).toEqual({
      status: tool.kept.status,
      body: { success: true, ...(first.structuredContent as object) },
    })
    expect(headers.get('idempotent-replayed')).toBe('true')
    expect(await records()).toBe(1)
    await assistant.close()
  })

  test('that repeats a call over REST is not done again, and answered as tools answer', async () => {
    const { assistant, asTool, overRest, records } = await prepare()
    const { success, ...answer } = (await overRest()).body
    expect(success).toBe(true)
    const repeat = await asTool()
    expect(repeat.structuredContent).toEqual(answer)
    expect(repeat._meta).toMatchObject({ 'fairlead/replayed': true })
    expect(await records()).toBe(1)
    await assistant.close()
  })
})

test('a name that came over REST with other contents is refused to a tool, with what helps', async () => {
  const { client, key } = await makeTenant(service)
  const assistant = await connectAssistant(service.origin, key)
  await client.post('/contacts', { name: 'Ana' }, { 'Idempotency-Key': 'one' })
  const other = await callTool(assistant, 'create_contact', { name: 'Eva', idempotency_key: 'one' })
  expect(other.isError).toBe(true)
  expect(wordsOf(other)).toMatch(/^IDEMPOTENCY_KEY_REUSED: .*What helps: /s)
  expect((await client.get('/contacts')).body.pagination.total).toBe(1)
  await assistant.close()
})

test('calls over both doors at the same moment do it once, and all get its answer', async () => {
  const { accountId, client, key } = await makeTenant(service)
  const assistant = await connectAssistant(service.origin, key)
  const release = await hold(accountId, service.databaseUrl)
  const named = { name: 'Ana', idempotency_key: 'one' }
  const calls = Array.from({ length: 4 }, () => [
    client.post('/contacts', { name: 'Ana' }, { 'Idempotency-Key': 'one' }).then(({ body }) => body.data),
    callTool(assistant, 'create_contact', named).then(({ structuredContent }) => Object(structuredContent).data),
  ]).flat()
  await untilHeld(service.database)
  await release()
  const answers = await Promise.all(calls)
  expect((await client.get('/contacts')).body.data).toEqual([answers[0]])
  for (const answer of answers) expect(answer).toEqual(answers[0])
  await assistant.close()
})

describe('a call that is cancelled', () => {
  /** An account in which a call that creates a contact waits, and what came of it. */
  async function under() {
    const { accountId, client, key } = await makeTenant(service)
    const release = await hold(accountId, service.databaseUrl)
    const params = { name: 'create_contact', arguments: { name: 'Ana', idempotency_key: 'one' } }
    return {
      key,
      release,
      call: { jsonrpc: '2.0', id: 7, method: 'tools/call', params },
      contacts: async () => (await client.get('/contacts')).body.data.length,
      again: async () => {
        const assistant = await connectAssistant(service.origin, key)
        const result = await callTool(assistant, params.name, params.arguments)
        await assistant.close()
        return { isError: result.isError, _meta: result._meta }
      },
    }
  }

  test('by its caller who leaves, does nothing; the next with its name does it', async () => {
    const { key, release, call, contacts, again } = await under()
    const left = new AbortController()
    const answer = post(service.origin, call, { 'x-api-key': key }, left.signal)
    await untilHeld(service.database)
    left.abort()
    await expect(answer).rejects.toThrow('abort')
    await untilHeld(service.database, false)
    await release()
    expect(await contacts()).toBe(0)
    expect((await again())._meta).not.toHaveProperty('fairlead/replayed')
    expect(await contacts()).toBe(1)
  })

  test('by the official client, has nothing half done: what was not undone is what the next with its name hears', async () => {
    const { key, release, call, contacts, again } = await under()
    const assistant = await connectAssistant(service.origin, key)
    const left = new AbortController()
    const answer = assistant.callTool(call.params, { signal: left.signal })
    await untilHeld(service.database)
    left.abort()
    await expect(answer).rejects.toThrow()
    await release()
    expect(await again()).toMatchObject({ isError: undefined })
    expect(await contacts()).toBe(1)
    await assistant.close()
  })

  test('by a message beside it, goes on: no process need know the calls of another', async () => {
    const { key, release, call, contacts } = await under()
    const answer = post(service.origin, call, { 'x-api-key': key })
    await untilHeld(service.database)
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }
    expect((await post(service.origin, cancel, { 'x-api-key': key })).status).toBe(202)
    await release()
    expect(await (await answer).text()).toContain('"name":"Ana"')
    expect(await contacts()).toBe(1)
  })

  afterAll(() => expect(service.logs().filter(({ level }) => level === 'error')).toEqual([]))
})
