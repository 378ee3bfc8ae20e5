import { setTimeout as delay } from 'node:timers/promises'
import type { Turn } from '../../src/shared/read-turns.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeTenant } from '../support/factories.js'
import { callTool, connectAssistant } from '../support/mcp.js'

// Which reads wait, and for how long, is in test/unit/read-turns.test.ts; this is about every door asking for its turn.

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

/** Has the reads of an account wait until they are let go, and tells how many have asked and ended. */
function hold(accountId: string) {
  const { reads } = service.database
  const seen = { asked: 0, ended: 0 }
  let go = () => {}
  const released = new Promise<void>((resolve) => (go = resolve))
  const usual = reads.read.bind(reads)
  reads.read = async (account) => {
    if (account !== accountId) return usual(account)
    seen.asked++
    await released
    const turn: Turn = { statement: (send) => send(), end: () => void seen.ended++ }
    return turn
  }
  return { seen, go, restore: () => (reads.read = usual) }
}

test('a read waits for its turn by every door, while writes of its account and what others do go on', async () => {
  const { client, accountId, key } = await makeTenant(service)
  const other = await makeTenant(service)
  const assistant = await connectAssistant(service.origin, key)
  const { id } = (await client.post('/contacts', { name: 'Ana' })).body.data
  const held = hold(accountId)
  try {
    const answered: string[] = []
    const reads = [
      client.get(`/contacts/${id}`).then(({ status }) => answered.push(`REST ${status}`)),
      client.get(`/contacts/${accountId}`).then(({ status }) => answered.push(`REST ${status}`)),
      client
        .graphql(`{ contact(id: "${id}") { name } }`)
        .then(({ body }) => answered.push(`GraphQL ${body.data.contact.name}`)),
      callTool(assistant, 'get_contact', { id }).then(({ isError }) => answered.push(`tool ${!isError}`)),
    ]
    expect((await client.post('/contacts', { name: 'Bia' })).status).toBe(201)
    expect((await client.put(`/contacts/${id}`, { name: 'Ana Maria' })).status).toBe(200)
    const renamed = await client.graphql(`mutation { updateContact(id: "${id}", input: { name: "Anna" }) { name } }`)
    expect(renamed.body.data.updateContact.name).toBe('Anna')
    expect((await other.client.get('/contacts')).status).toBe(200)
    while (held.seen.asked < 4) await delay(5)
    expect([answered, held.seen.ended]).toEqual([[], 0])
    expect(service.database.requests.inUse).toBe(0)
    held.go()
    await Promise.all(reads)
    expect(answered.toSorted()).toEqual(['GraphQL Anna', 'REST 200', 'REST 404', 'tool true'])
    expect(held.seen).toEqual({ asked: 4, ended: 4 })
  } finally {
    held.restore()
    await assistant.close()
  }
})

test('what is refused before it begins takes no turn', async () => {
  const { accountId, client } = await makeTenant(service, { permissions: ['campaigns:read'] })
  const held = hold(accountId)
  try {
    expect((await client.get('/contacts')).status).toBe(403)
    expect((await client.get('/campaigns?limit=many')).status).toBe(400)
    expect((await client.graphql('{ contacts { items { id } } }')).body.errors).toHaveLength(1)
    expect((await client.graphql('{ nothing }')).body.errors).toHaveLength(1)
    expect(held.seen).toEqual({ asked: 0, ended: 0 })
  } finally {
    held.restore()
  }
})
