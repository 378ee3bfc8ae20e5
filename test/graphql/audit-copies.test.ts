import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { makeContact, makeKey, makeTenant, type Tenant } from '../support/factories.js'
import { dataOf } from '../support/graphql.js'

let service: TestApp
let beside: TestApp
beforeAll(async () => {
  service = await startTestApp()
  beside = await startTestApp({}, undefined, service)
})
afterAll(async () => {
  await beside.stop()
  await service.stop()
})

const LIST = `{ auditEntries(filter: { action: "copied" }, order: ASC) {
  items { id subjectKind subjectId fields actorKind actorId address } } }`
const copiesOf = async ({ client }: Pick<Tenant, 'client'>) => dataOf(await client.graphql(LIST)).items

const COPY = 'updated_after=2020-01-01&sort_by=updated_at&sort_order=asc&limit=1'

async function tenantWithContacts() {
  const tenant = await makeTenant(service)
  for (let i = 0; i < 3; i++) await makeContact(service.database, tenant.accountId)
  return tenant
}

test('whoever copies a list is written down once a day, and not page by page', async () => {
  const tenant = await tenantWithContacts()
  const { client, accountId } = tenant
  const first = await client.get(`/contacts?${COPY}`)
  await client.get(`/contacts?${COPY}&page=2`)
  await client.get(`/contacts?${COPY}&cursor=${first.body.pagination.next_cursor}`)
  await client.get(`/contacts?${COPY}`)
  const entry = { subjectKind: 'contact', subjectId: null, fields: [], actorKind: 'api_key', address: '127.0.0.1' }
  expect(await copiesOf(tenant)).toEqual([{ ...entry, id: expect.any(String), actorId: tenant.keyId }])

  const other = await makeKey(service.database, accountId)
  await createClient(service.origin, other.secret).get(`/contacts?${COPY}`)
  await client.get(`/opportunities?${COPY}`)
  await client.get('/conversations?last_message_after=2020-01-01')
  const kinds = (await copiesOf(tenant)).map(({ subjectKind, actorId }: Record<string, string>) => [
    subjectKind,
    actorId,
  ])
  expect(kinds).toEqual([
    ['contact', tenant.keyId],
    ['contact', other.key.id],
    ['opportunity', tenant.keyId],
    ['conversation', tenant.keyId],
  ])
})

test('through several processes at once it is one entry', async () => {
  const tenant = await tenantWithContacts()
  const elsewhere = createClient(beside.origin, tenant.key)
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) => (i % 2 ? tenant.client : elsewhere).get(`/contacts?${COPY}`)),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
  expect(await copiesOf(tenant)).toHaveLength(1)
})

test('what is no copy leaves no entry, nor does one that is refused', async () => {
  const tenant = await tenantWithContacts()
  await tenant.client.get('/contacts?updated_after=2020-01-01')
  await tenant.client.get('/contacts?sort_by=updated_at&sort_order=desc')
  const { secret } = await makeKey(service.database, tenant.accountId, { permissions: ['tags:read'] })
  expect((await createClient(service.origin, secret).get(`/contacts?${COPY}`)).status).toBe(403)
  expect(await copiesOf(tenant)).toEqual([])
})

test('a page of a copy takes no statement more once it is written down', async () => {
  const tenant = await tenantWithContacts()
  const read = () => service.statementsOf(() => tenant.client.get(`/contacts?${COPY}`))
  await read()
  const again = await read()
  expect(again.statements.filter((text) => /audit_entry/.test(text))).toEqual([])
})
