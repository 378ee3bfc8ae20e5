import { startTestApp, type TestApp } from '../support/app.js'
import { makeCampaign } from '../support/factories/campaigns.js'
import { makeConversation } from '../support/factories/conversations.js'
import { makeOpportunity } from '../support/factories/opportunities.js'
import { makeContact, makeTag, makeTenant, type Tenant } from '../support/factories.js'
import { dataOf } from '../support/graphql.js'
import { type Seller, sellersOf } from '../support/sellers.js'

let service: TestApp
const sellers = sellersOf(() => service)
let tenant: Tenant
let ana: Seller
let bia: Seller
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(async () => {
  sellers.restore()
  await service.stop()
})

/** Of Ana three leads, of Bia two, of nobody one; one contact is of both. */
let mine: string[]
let theirs: string[]
let shared: string
let campaignId: string
let tagId: string
let talks: { mine: string; theirs: string }
beforeEach(async () => {
  const { database } = service
  tenant = await makeTenant(service)
  const { accountId } = tenant
  ana = await sellers.make(accountId)
  bia = await sellers.make(accountId)
  const tag = await makeTag(database, accountId)
  tagId = tag.id
  const lead = (name: string) =>
    makeContact(database, accountId, {
      name,
      company: `${name} Ltda`,
      email: `${name}@x.test`.toLowerCase(),
      phone: '+5511987654321',
      source: 'fair',
      tags: [tag],
    })
  const [both, a, b] = [await lead('Both'), await lead('Alpha'), await lead('Beta')]
  await lead('Nobody')
  shared = both.id
  campaignId = (await makeCampaign(database, accountId, { contactIds: [a.id, b.id, both.id] })).id
  const deal = (contact: typeof a, owner: Seller | null, title: string) =>
    makeOpportunity(database, accountId, { contact, ownerUserId: owner?.user.id, title, campaignId, value: 10 })
  mine = []
  theirs = []
  for (const contact of [both, a]) mine.push((await deal(contact, ana, 'Deal mine')).id)
  for (const contact of [both, b]) theirs.push((await deal(contact, bia, 'Deal theirs')).id)
  await deal(b, null, 'Deal nobody')
  const talk = async (owner: Seller, opportunityId: string) =>
    (
      await makeConversation(database, accountId, {
        contactId: shared,
        assignedUserId: owner.user.id,
        opportunityId,
        lastMessageAt: new Date(),
        messages: [{ content: `of ${opportunityId}` }],
      })
    ).id
  // Ana's is about an opportunity of Bia's.
  talks = { mine: await talk(ana, theirs[0]!), theirs: await talk(bia, theirs[0]!) }
})

const names = (answer: { body: { data: { name: string }[] } }) => answer.body.data.map(({ name }) => name).sort()
const ids = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(({ id }) => id).sort()

test.each([
  ['', 2],
  ['search=alp', 1],
  ['search=a', 2],
  ['search=beta', 0],
  ['company=ltda', 2],
  ['email=x.test', 2],
  ['phone=98765', 2],
  ['source=fair', 2],
  ['created_after=2020-01-01', 2],
  ['created_before=2020-01-01', 0],
  ['updated_after=2020-01-01', 2],
  ['updated_after=2020-01-01&sort_by=updated_at&sort_order=asc', 2],
  ['sort_by=name&sort_order=desc', 2],
  ['limit=1&page=2', 2],
  ['limit=1&page=9', 2],
])('a seller lists and counts only their own contacts: ?%s', async (query, total) => {
  const answer = await ana.client.get(`/contacts?${query}`)
  expect(answer.body.pagination.total).toBe(total)
  expect(names(answer).every((name) => ['Alpha', 'Both'].includes(name))).toBe(true)
})

test('a filter by tags counts only their own, and an admin sees all', async () => {
  expect((await ana.client.get(`/contacts?tags=${tagId}`)).body.pagination.total).toBe(2)
  expect(names(await bia.client.get('/contacts'))).toEqual(['Beta', 'Both'])
  expect((await tenant.client.get('/contacts')).body.pagination.total).toBe(4)
})

test.each([
  ['', 2],
  ['search=deal', 2],
  ['search=theirs', 0],
  ['company=both', 1],
  ['is_active=true', 2],
  ['created_after=2020-01-01', 2],
  ['updated_after=2020-01-01', 2],
  ['updated_after=2020-01-01&sort_by=updated_at&sort_order=asc', 2],
  ['limit=1&page=2', 2],
  ['sort_by=value', 2],
])('a seller lists and counts only their own opportunities: ?%s', async (query, total) => {
  const answer = await ana.client.get(`/opportunities?${query}`)
  expect(answer.body.pagination.total).toBe(total)
  expect(ids(answer).every((id) => mine.includes(id))).toBe(true)
})

test('what a seller filters opportunities by reaches no further than their own', async () => {
  const total = async (query: string) => (await ana.client.get(`/opportunities?${query}`)).body.pagination.total
  const [{ pipeline_id, stage_id }] = (await ana.client.get('/opportunities')).body.data
  expect(await total(`owner_user_id=${bia.user.id}`)).toBe(0)
  expect(await total(`owner_user_id=${ana.user.id}`)).toBe(2)
  expect(await total(`pipeline_id=${pipeline_id}`)).toBe(2)
  expect(await total(`stage_id=${stage_id}`)).toBe(2)
  expect(await total(`campaign_id=${campaignId}`)).toBe(2)
  const of = `{ opportunities(filter: {contactId: "${shared}"}) { pagination { total } } }`
  expect(dataOf(await ana.client.graphql(of)).pagination.total).toBe(1)
  expect((await tenant.client.get('/opportunities')).body.pagination.total).toBe(5)
})

test.each([
  '',
  'channel=whatsapp',
  'status=active',
  'is_group=false',
  'created_after=2020-01-01',
  'updated_after=2020-01-01',
  'last_message_after=2020-01-01',
])('a seller lists and counts only the conversations assigned to them: ?%s', async (query) => {
  const answer = await ana.client.get(`/conversations?${query}`)
  expect(ids(answer)).toEqual([talks.mine])
  expect(answer.body.pagination.total).toBe(1)
})

test('what is not theirs is not found', async () => {
  const [theirContact] = (await bia.client.get('/contacts?search=beta')).body.data
  for (const path of [
    `/contacts/${theirContact.id}`,
    `/opportunities/${theirs[0]}`,
    `/conversations/${talks.theirs}`,
  ]) {
    const [refused, unknown] = await Promise.all([
      ana.client.get(path),
      ana.client.get(path.replace(/[^/]+$/, '00000000-0000-7000-8000-000000000000')),
    ])
    expect(refused.status).toBe(404)
    expect({ ...refused.body.error, request_id: '' }).toEqual({ ...unknown.body.error, request_id: '' })
    expect((await tenant.client.get(path)).status).toBe(200)
  }
  expect((await ana.client.get(`/opportunities/${theirs[0]}/history`)).status).toBe(404)
})

test('a field that leads to what is not theirs is null, its id and its labels too', async () => {
  const query = `{ conversation(id: "${talks.mine}") {
    contact { id } contactName opportunityId opportunityTitle opportunity { id } } }`
  expect(dataOf(await ana.client.graphql(query))).toEqual({
    contact: { id: shared },
    contactName: 'Both',
    opportunityId: null,
    opportunityTitle: null,
    opportunity: null,
  })
  expect(dataOf(await tenant.client.graphql(query))).toMatchObject({ opportunityTitle: 'Deal theirs' })
  const list = '{ conversations { items { opportunityTitle opportunity { id } } } }'
  expect(dataOf(await ana.client.graphql(list)).items).toEqual([{ opportunityTitle: null, opportunity: null }])
})

test('of a campaign a seller sees, and counts, only their own contacts', async () => {
  const query = `{ campaigns { items { contactCount } } campaignContacts(campaignId: "${campaignId}") {
    items { contact { name } } pagination { total } } }`
  const { data } = (await ana.client.graphql(query)).body
  expect(data.campaigns.items).toEqual([{ contactCount: 2 }])
  expect(data.campaignContacts.pagination.total).toBe(2)
  expect((await tenant.client.graphql(query)).body.data.campaigns.items).toEqual([{ contactCount: 3 }])
})

test('reports count only what a seller owns', async () => {
  const query = `{
    salesSummary { open { count value } }
    sellersReport { ownerUserId openCount }
    slaReport { bySeller { ownerUserId } }
    funnelReport { stages { count value } } }`
  const { data } = (await ana.client.graphql(query)).body
  expect(data.salesSummary.open).toEqual({ count: 2, value: 20 })
  expect(data.sellersReport).toEqual([{ ownerUserId: ana.user.id, openCount: 2 }])
  expect(data.slaReport.bySeller).toEqual([{ ownerUserId: ana.user.id }])
  expect(data.funnelReport[0].stages[0]).toEqual({ count: 2, value: 20 })
  const all = (await tenant.client.graphql(query)).body.data
  expect(all.salesSummary.open.count).toBe(5)
  expect(all.sellersReport).toHaveLength(3)
})

test('a report on another seller is empty, and one with filters counts their own', async () => {
  const report = async (filter: string) =>
    (
      await ana.client.graphql(`{ salesSummary(filter: {${filter}}) { open { count } }
      slaReport(filter: {${filter}}) { bySeller { wonCount } } }`)
    ).body.data
  expect(await report(`ownerUserId: "${bia.user.id}"`)).toEqual({
    salesSummary: { open: { count: 0 } },
    slaReport: { bySeller: [] },
  })
  expect((await report('from: "2020-01-01"')).salesSummary.open.count).toBe(2)
  expect((await report(`ownerUserId: "${ana.user.id.toUpperCase()}"`)).salesSummary.open.count).toBe(2)
})

test('a cursor goes no further than what is theirs, nor into the hands of another', async () => {
  const page = (cursor?: string) =>
    `{ contacts(limit: 1${cursor ? `, cursor: "${cursor}"` : ''}) { items { name } pagination { total nextCursor } } }`
  const first = dataOf(await ana.client.graphql(page()))
  expect(first.pagination.total).toBe(2)
  const { nextCursor } = first.pagination
  for (const other of [bia.client, tenant.client]) {
    expect((await other.graphql(page(nextCursor))).body.errors[0].extensions.code).toBe('VALIDATION_ERROR')
  }
  const second = dataOf(await ana.client.graphql(page(nextCursor)))
  expect([first.items[0].name, second.items[0].name].sort()).toEqual(['Alpha', 'Both'])
  expect(second.pagination.nextCursor).toBeNull()
})

test('an opportunity that is given to another between two pages is on none of those that follow', async () => {
  const page = (cursor?: string) =>
    `{ opportunities(limit: 1${cursor ? `, cursor: "${cursor}"` : ''}) { items { id } pagination { nextCursor } } }`
  const first = dataOf(await ana.client.graphql(page()))
  const last = mine.find((id) => id !== first.items[0].id)
  await tenant.client.put(`/opportunities/${last}`, { owner_user_id: bia.user.id })
  expect(dataOf(await ana.client.graphql(page(first.pagination.nextCursor))).items).toEqual([])
  expect((await ana.client.get(`/opportunities/${last}`)).status).toBe(404)
  expect((await bia.client.get('/opportunities')).body.pagination.total).toBe(3)
})

test.each(['/contacts?search=alpha', '/contacts', '/opportunities', '/conversations', '/contacts?limit=1&page=2'])(
  'a page of %s takes one statement, as it does for others',
  async (path) => {
    const { statements } = await service.statementsOf(() => ana.client.get(path))
    expect(statements.filter((text) => /^(select|with)/.test(text.trim()))).toHaveLength(1)
  },
)
