import { startTestApp, type TestApp } from '../support/app.js'
import { makeContact, makeTenant, type Tenant } from '../support/factories.js'
import { callTool, connectAssistant } from '../support/mcp.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

interface Entry {
  action: string
  subjectKind: string
  subjectId: string | null
  tool: string | null
  actorKind: string
  actorId: string
  address: string
}

/** What was written down since the key was made, oldest first. */
async function entriesOf({ client }: Tenant, filter: object = {}): Promise<Entry[]> {
  const query = `query ($filter: AuditFilter) { auditEntries(order: ASC, limit: 100, filter: $filter) {
    items { action subjectKind subjectId tool actorKind actorId address } } }`
  const { items } = (await client.graphql(query, { filter })).body.data.auditEntries
  return items.filter(({ subjectKind }: Entry) => !/^(account|api_key)$/.test(subjectKind))
}

test('what an assistant changes is written down with the tool, in the transaction that does it', async () => {
  const tenant = await makeTenant(service)
  const assistant = await connectAssistant(service.origin, tenant.key)
  const by = { actorKind: 'api_key', actorId: tenant.keyId, address: '127.0.0.1' }
  const called = (tool: string, subjectId: string) => ({
    action: 'called',
    subjectKind: 'tool',
    subjectId,
    tool,
    ...by,
  })

  const created = await callTool(assistant, 'create_contact', { name: 'Ana' })
  const { id } = (created.structuredContent as { data: { id: string } }).data
  await callTool(assistant, 'update_contact', { id, company: 'Aurora' })
  await callTool(assistant, 'get_contact', { id })
  await callTool(assistant, 'search_contacts', {})
  await callTool(assistant, 'delete_contact', { id })
  expect((await callTool(assistant, 'delete_contact', { id })).isError).toBe(true)
  const deleted = { action: 'deleted', subjectKind: 'contact', subjectId: id, tool: 'delete_contact', ...by }
  expect(await entriesOf(tenant)).toEqual([
    called('create_contact', id),
    called('update_contact', id),
    deleted,
    called('delete_contact', id),
  ])
  expect(await entriesOf(tenant, { tool: 'DELETE_contact' })).toHaveLength(2)
  await assistant.close()
})

test('a call that is repeated by its name is written down once, and one over REST names no tool', async () => {
  const tenant = await makeTenant(service)
  const assistant = await connectAssistant(service.origin, tenant.key)
  const args = { name: 'Ana', idempotency_key: 'one' }
  const [first, second] = [
    await callTool(assistant, 'create_contact', args),
    await callTool(assistant, 'create_contact', args),
  ]
  expect(second.structuredContent).toEqual(first.structuredContent)
  const { id } = await makeContact(service.database, tenant.accountId)
  await tenant.client.delete(`/contacts/${id}`)
  expect((await entriesOf(tenant)).map(({ action, subjectKind, tool }) => [action, subjectKind, tool])).toEqual([
    ['called', 'tool', 'create_contact'],
    ['deleted', 'contact', null],
  ])
  await assistant.close()
})

test('an answer that promises what happens after the commit is whole, named or not', async () => {
  const tenant = await makeTenant(service)
  const assistant = await connectAssistant(service.origin, tenant.key)
  const args = { name: 'Ana', title: 'Roof', enroll_in_flow_id: tenant.accountId }
  for (const more of [{}, { idempotency_key: 'one' }]) {
    const { structuredContent } = await callTool(assistant, 'create_opportunity', { ...args, ...more })
    expect(structuredContent).toMatchObject({ actions: { flow: { error: expect.stringMatching(/\w/) } } })
  }
  const calls = (await entriesOf(tenant)).filter(({ action }) => action === 'called')
  expect(calls.map(({ tool }) => tool)).toEqual(['create_opportunity', 'create_opportunity'])
  await assistant.close()
})
