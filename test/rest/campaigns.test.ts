import { randomUUID } from 'node:crypto'
import { verifyTally } from '../../src/database/index.js'
import { type Campaign, CampaignStatus, campaignContactTally } from '../../src/domains/campaigns/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Client, createClient } from '../support/client.js'
import { makeCampaign } from '../support/factories/campaigns.js'
import { makeContact, makeKey, makeTenant } from '../support/factories.js'
import { TIMESTAMP } from '../support/graphql.js'

let service: TestApp
// Row security would hide a condition that a statement forgot; it is off unless an operator turns it on.
let unwalled: TestApp
beforeAll(async () => {
  ;[service, unwalled] = await Promise.all([startTestApp(), startTestApp({ rowSecurity: false })])
})
afterAll(() => Promise.all([service.stop(), unwalled.stop()]))

async function namesOf(client: Client, query = ''): Promise<string[]> {
  const { status, body } = await client.get(`/campaigns?${query}`)
  expect({ status, total: body.pagination?.total }).toEqual({ status: 200, total: body.data?.length })
  return body.data.map(({ name }: Campaign) => name)
}

const at = (ms: number) => new Date(Date.parse('2026-03-01T12:00:00.000Z') + ms)

test('show everything of a campaign, with the number of its contacts, in the envelope of a list', async () => {
  const { accountId, client } = await makeTenant(service)
  const contacts = await Promise.all([1, 2, 3].map(() => makeContact(service.database, accountId)))
  const fields = { name: 'Spring', description: 'Solar.', status: CampaignStatus.ACTIVE, channel: 'linkedin' }
  const contactIds = contacts.map(({ id }) => id)
  const campaign = await makeCampaign(service.database, accountId, {
    ...fields,
    automationActive: true,
    createdAt: at(5),
    contactIds,
  })
  const bare = await makeCampaign(service.database, accountId, { name: 'Bare', createdAt: at(4) })
  const { status, body } = await client.get('/campaigns')
  expect(status).toBe(200)
  expect(body).toEqual({
    success: true,
    data: [
      {
        id: campaign.id,
        ...fields,
        automation_active: true,
        contact_count: 3,
        created_at: '2026-03-01T12:00:00.005Z',
        updated_at: TIMESTAMP,
      },
      {
        id: bare.id,
        name: 'Bare',
        description: null,
        status: 'draft',
        channel: null,
        automation_active: false,
        contact_count: 0,
        created_at: '2026-03-01T12:00:00.004Z',
        updated_at: TIMESTAMP,
      },
    ],
    pagination: {
      page: 1,
      per_page: 50,
      total: 2,
      total_pages: 1,
      has_next: false,
      has_prev: false,
      next_cursor: null,
    },
  })
})

test('are found by their status, without regard to case; an unknown one finds none', async () => {
  const { accountId, client } = await makeTenant(service)
  for (const status of Object.values(CampaignStatus)) {
    await makeCampaign(service.database, accountId, { name: status, status })
  }
  for (const status of ['draft', 'active', 'paused', 'completed']) {
    expect(await namesOf(client, `status=${status}`)).toEqual([status])
  }
  expect(await namesOf(client, 'status=ACTIVE')).toEqual(['active'])
  for (const unknown of ['archived', '%25', 'activ', "'"])
    expect(await namesOf(client, `status=${unknown}`)).toEqual([])
  expect(await namesOf(client, 'status=')).toHaveLength(4)
})

test.each(['', '&status=active'])(
  'are the newest first, equal ones by id, page by page, each once%s',
  async (filter) => {
    const { accountId, client } = await makeTenant(service)
    const status = CampaignStatus.ACTIVE
    for (let i = 0; i < 30; i++) {
      await makeCampaign(service.database, accountId, { id: randomUUID(), createdAt: at(0), status })
    }
    const newest = await makeCampaign(service.database, accountId, { createdAt: at(1), status })
    const oldest = await makeCampaign(service.database, accountId, { createdAt: at(-1), status })
    const ids: string[] = []
    for (let page = 1; page <= 5; page++) {
      const { body } = await client.get(`/campaigns?limit=7&page=${page}${filter}`)
      expect(body.pagination).toMatchObject({ page, per_page: 7, total: 32, total_pages: 5, has_next: page < 5 })
      ids.push(...body.data.map(({ id }: Campaign) => id))
    }
    expect([ids[0], ids.at(-1)]).toEqual([newest.id, oldest.id])
    const ties = ids.slice(1, -1)
    expect(ties).toEqual([...new Set(ties)].toSorted().reverse())
    expect(ties).toHaveLength(30)
  },
)

test('past the end are none, with true totals', async () => {
  const { accountId, client } = await makeTenant(service)
  for (const status of [CampaignStatus.ACTIVE, CampaignStatus.DRAFT]) {
    await makeCampaign(service.database, accountId, { status })
  }
  const past = { page: 9, total_pages: 1, has_next: false, has_prev: true, next_cursor: null }
  const everyone = (await client.get('/campaigns?page=9')).body
  expect(everyone.data).toEqual([])
  expect(everyone.pagination).toMatchObject({ ...past, total: 2 })
  const found = (await client.get('/campaigns?page=9&status=active')).body
  expect(found.pagination).toMatchObject({ ...past, total: 1 })
})

test('do not show what was deleted, in data or totals', async () => {
  const { accountId, client } = await makeTenant(service)
  await makeCampaign(service.database, accountId, { name: 'Kept' })
  await makeCampaign(service.database, accountId, { name: 'Deleted', deletedAt: new Date() })
  expect(await namesOf(client)).toEqual(['Kept'])
  expect(await namesOf(client, 'status=draft')).toEqual(['Kept'])
  expect((await client.get('/campaigns?page=2')).body.pagination.total).toBe(1)
})

test('count contacts as they come and go, and when contacts are deleted', async () => {
  const { accountId, client } = await makeTenant(service)
  const { id } = await makeCampaign(service.database, accountId)
  const count = async () => (await client.get('/campaigns')).body.data[0].contact_count
  const made: string[] = []
  for (let i = 0; i < 4; i++) {
    const sent = { name: `Person ${i}`, linkedin_profile_url: `linkedin.com/in/${i}` }
    const { body } = await client.post(`/campaigns/${id}/contacts`, sent)
    made.push(body.data.contact.id)
    expect(await count()).toBe(i + 1)
  }
  await client.delete(`/contacts/${made[0]}`)
  expect(await count()).toBe(3)
  expect(await verifyTally(service.database.pool, campaignContactTally)).toEqual([])
})

test.each(['', 'status=draft', 'limit=2', 'limit=1&page=2'])('take one statement: %s', async (query) => {
  const { accountId, client } = await makeTenant(service)
  for (let i = 0; i < 3; i++) {
    const contact = await makeContact(service.database, accountId)
    await makeCampaign(service.database, accountId, { contactIds: [contact.id] })
  }
  const { result, statements } = await service.statementsOf(() => client.get(`/campaigns?${query}`))
  expect(result.body.data.length).toBeGreaterThan(0)
  expect(statements).toHaveLength(1)
})

test('need a key that may read campaigns', async () => {
  const { accountId } = await makeTenant(service)
  expect((await createClient(service.origin).get('/campaigns')).status).toBe(401)
  const withPermission = async (permission: string) => {
    const { secret } = await makeKey(service.database, accountId, { permissions: [permission] })
    return createClient(service.origin, secret).get('/campaigns')
  }
  for (const permission of ['campaigns:read', 'campaigns:*', '*']) {
    expect((await withPermission(permission)).status).toBe(200)
  }
  for (const permission of ['contacts:*', 'campaigns:write']) {
    const { status, body } = await withPermission(permission)
    expect(status).toBe(403)
    expect(body.error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', required_permission: 'campaigns:read' })
  }
})

test.each([
  ['with row security', () => service],
  ['without it', () => unwalled],
])('of another account never show, in data, totals or counts, %s', async (_, appOf) => {
  const app = appOf()
  const [mine, theirs] = [await makeTenant(app), await makeTenant(app)]
  await makeCampaign(app.database, mine.accountId, { name: 'Mine' })
  const contact = await makeContact(app.database, theirs.accountId)
  await makeCampaign(app.database, theirs.accountId, { name: 'Theirs', contactIds: [contact.id] })
  expect(await namesOf(mine.client)).toEqual(['Mine'])
  expect(await namesOf(mine.client, 'status=draft')).toEqual(['Mine'])
  expect((await mine.client.get('/campaigns')).body.data[0].contact_count).toBe(0)
})
