import { randomUUID } from 'node:crypto'
import { type Opportunity, OpportunitySource } from '../../src/domains/opportunities/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Client, createClient } from '../support/client.js'
import { makeCampaign } from '../support/factories/campaigns.js'
import { makeOpportunity, storeOpportunities } from '../support/factories/opportunities.js'
import { defaultPipelineOf, makePipeline } from '../support/factories/pipelines.js'
import { makeDiscardReason, makeSector } from '../support/factories/reference.js'
import { makeUser } from '../support/factories/users.js'
import { makeKey, makeTenant, type Tenant } from '../support/factories.js'

let service: TestApp
// Row security would hide a condition that a statement forgot; it is off unless an operator turns it on.
let unwalled: TestApp
beforeAll(async () => {
  ;[service, unwalled] = await Promise.all([startTestApp(), startTestApp({ rowSecurity: false })])
})
afterAll(() => Promise.all([service.stop(), unwalled.stop()]))

type Asked = Record<string, string | number>
type Shown = Record<string, unknown> & { id: string; title: string; updated_at: string; created_at: string }

const list = (client: Client, parameters: Asked = {}) => {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return client.get(`/opportunities?${pairs.join('&')}`)
}

/** The titles of the opportunities that are found, in the order of their creation. */
async function titlesOf(client: Client, parameters: Asked): Promise<string[]> {
  const { status, body } = await list(client, { sort_order: 'asc', limit: 100, ...parameters })
  expect({ status, total: body.pagination?.total }).toEqual({ status: 200, total: body.data?.length })
  return body.data.map(({ title }: Shown) => title)
}

type NewOpportunity = NonNullable<Parameters<typeof makeOpportunity>[2]>

/** Opportunities of a new account, created one after the other. */
async function accountWith(...opportunities: NewOpportunity[]): Promise<Tenant> {
  const tenant = await makeTenant(service)
  for (const one of opportunities) await makeOpportunity(service.database, tenant.accountId, one)
  return tenant
}

const at = (ms: number) => new Date(Date.parse('2026-03-01T12:00:00.000Z') + ms)

describe('the answer', () => {
  test('has every field of an opportunity and of its contact, in the envelope of a list', async () => {
    const { accountId, client } = await makeTenant(service)
    const { database } = service
    const pipeline = await makePipeline(database, accountId, { name: 'Fairs', stages: ['Met', 'Called'] })
    const sector = await makeSector(database, accountId)
    const owner = await makeUser(database, accountId, { name: 'Bia' })
    const campaign = await makeCampaign(database, accountId, { name: 'Spring' })
    const reason = await makeDiscardReason(database, accountId)
    const contact = {
      name: 'Zoë Ferreira',
      email: 'Zoe@Example.com',
      phone: '+5511999990000',
      company: 'Acme',
      title: 'Buyer',
      location: 'Lisboa',
      linkedinProfileUrl: 'https://www.linkedin.com/in/zoe',
      profilePicture: 'https://example.com/zoe.png',
    }
    const times = { sentAt: at(1), acceptedAt: at(2), qualifyingStartedAt: at(3), qualifiedAt: at(4) }
    const { id, contactId } = await makeOpportunity(database, accountId, {
      title: 'Solar roof',
      value: 12345.67,
      currency: 'EUR',
      probability: 60,
      expectedCloseDate: '2026-12-31',
      pipelineId: pipeline.id,
      stageId: pipeline.stages[1]!.id,
      campaignId: campaign.id,
      ownerUserId: owner.id,
      sectorId: sector.id,
      discardReasonId: reason.id,
      score: -7,
      source: OpportunitySource.GOOGLE_MAPS,
      notes: 'Met.',
      ...times,
      ...{ scheduledAt: at(5), wonAt: at(6), lostAt: at(7), lossReason: 'not in lists', discardedAt: at(8) },
      createdAt: at(0),
      contact,
      products: [{ name: 'not in lists' }],
    })
    const { status, body } = await client.get('/opportunities')
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      data: [
        {
          id,
          title: 'Solar roof',
          value: 12345.67,
          currency: 'EUR',
          probability: 60,
          expected_close_date: '2026-12-31',
          pipeline_id: pipeline.id,
          pipeline_name: 'Fairs',
          stage_id: pipeline.stages[1]!.id,
          stage_name: 'Called',
          campaign_id: campaign.id,
          campaign_name: 'Spring',
          owner_user_id: owner.id,
          owner_user_name: 'Bia',
          owner_user_email: owner.email,
          sector_id: sector.id,
          discard_reason_id: reason.id,
          score: -7,
          source: 'google_maps',
          notes: 'Met.',
          sent_at: at(1).toISOString(),
          accepted_at: at(2).toISOString(),
          qualifying_started_at: at(3).toISOString(),
          qualified_at: at(4).toISOString(),
          scheduled_at: at(5).toISOString(),
          won_at: at(6).toISOString(),
          lost_at: at(7).toISOString(),
          discarded_at: at(8).toISOString(),
          created_at: at(0).toISOString(),
          updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          contact_id: contactId,
          contact_name: 'Zoë Ferreira',
          contact_email: 'Zoe@Example.com',
          contact_phone: '+5511999990000',
          contact_company: 'Acme',
          contact_title: 'Buyer',
          contact_location: 'Lisboa',
          contact_profile_url: 'https://www.linkedin.com/in/zoe',
          contact_profile_picture: 'https://example.com/zoe.png',
        },
      ],
      pagination: {
        page: 1,
        per_page: 50,
        total: 1,
        total_pages: 1,
        has_next: false,
        has_prev: false,
        next_cursor: null,
      },
    })
  })

  test('has null for what is empty', async () => {
    const { client } = await accountWith({ title: 'Bare', contact: null })
    const [bare] = (await client.get('/opportunities')).body.data
    const filled = Object.entries(bare).filter(([, value]) => value !== null)
    expect(Object.fromEntries(filled)).toEqual({
      id: expect.any(String),
      title: 'Bare',
      value: 0,
      currency: 'BRL',
      pipeline_id: expect.any(String),
      pipeline_name: 'Sales',
      stage_id: expect.any(String),
      stage_name: 'New',
      score: 0,
      source: 'other',
      created_at: bare.updated_at,
      updated_at: expect.any(String),
    })
    expect(Object.keys(bare)).toHaveLength(39)
  })

  test('names campaigns, owners and sectors that have been deleted since', async () => {
    const { accountId, client } = await makeTenant(service)
    const { database } = service
    const campaign = await makeCampaign(database, accountId, { name: 'Over', deletedAt: at(0) })
    const owner = await makeUser(database, accountId, { name: 'Gone', deletedAt: at(0) })
    await makeOpportunity(database, accountId, { campaignId: campaign.id, ownerUserId: owner.id })
    expect((await list(client)).body.data).toMatchObject([{ campaign_name: 'Over', owner_user_name: 'Gone' }])
  })
})

describe('search', () => {
  const lead = { title: 'Telhado Ágil', contact: { name: 'João da Silva', company: 'Padaria São Zé' } }
  const other = { title: 'Mike', contact: { name: 'Mike', company: 'Public Works' } }

  test.each([
    ['telhado agil', 'the title'],
    ['JOAO DA', "the contact's name"],
    ['são z', "the contact's company"],
    ['ã', 'one character'],
    ['sã', 'two characters'],
    ['  joão  ', 'white space around a term'],
  ])('for "%s" finds %s', async (search) => {
    const { client } = await accountWith(lead, other)
    expect(await titlesOf(client, { search })).toEqual(['Telhado Ágil'])
  })

  test.each(['%', '_', '\\', '%%', '_%', "'", '$1'])('takes %s literally', async (search) => {
    const { client } = await accountWith(
      { title: 'plain abc' },
      { title: `a${search}c`, contact: null },
      { title: 'b', contact: { name: 'x', company: `x ${search} y` } },
    )
    expect(await titlesOf(client, { search })).toEqual([`a${search}c`, 'b'])
    expect(await titlesOf(client, { company: search })).toEqual(['b'])
  })

  test('never matches across two texts, and looks nowhere else', async () => {
    const contact = { name: 'Ann', company: 'Deli', email: 'bob@corp.test', phone: '+5511999990000' }
    const { client } = await accountWith({ title: 'Roof', contact, notes: 'needle' })
    for (const search of ['fann', 'roof ann', 'nnde', 'bob', '9999', 'needle', 'sales', 'new']) {
      expect({ search, found: await titlesOf(client, { search }) }).toEqual({ search, found: [] })
    }
  })

  test('finds by what the contact is called now', async () => {
    const { accountId, client } = await makeTenant(service)
    const { contactId } = await makeOpportunity(service.database, accountId, {
      title: 'Roof',
      contact: { name: 'Ann', company: 'Deli' },
    })
    await client.put(`/contacts/${contactId}`, { name: 'Eva', company: 'Umbrella' })
    for (const search of ['ann', 'deli']) expect(await titlesOf(client, { search })).toEqual([])
    for (const search of ['eva', 'umbrella']) expect(await titlesOf(client, { search })).toEqual(['Roof'])
    expect(await titlesOf(client, { company: 'UMB' })).toEqual(['Roof'])
  })

  test('company contains the value, without case and accents, and looks nowhere else', async () => {
    const { client } = await accountWith(
      lead,
      { title: 'Padaria São Zé', contact: { name: 'São Zé' } },
      { title: 'x', contact: null },
    )
    for (const company of ['SAO ze', 'ã', 'pa', 'padaria']) {
      expect(await titlesOf(client, { company })).toEqual(['Telhado Ágil'])
    }
    expect(await titlesOf(client, { company: 'silva' })).toEqual([])
  })
})

describe('the filters by id', () => {
  const FILTERS = ['stage_id', 'pipeline_id', 'campaign_id', 'owner_user_id'] as const

  /** An account with one opportunity that each of the ids is of, and one that none is of. */
  async function filtered() {
    const tenant = await makeTenant(service)
    const { accountId } = tenant
    const { database } = service
    const pipeline = await makePipeline(database, accountId)
    const ids = {
      stage_id: pipeline.stages[0]!.id,
      pipeline_id: pipeline.id,
      campaign_id: (await makeCampaign(database, accountId)).id,
      owner_user_id: (await makeUser(database, accountId)).id,
    }
    const place = { pipelineId: ids.pipeline_id, stageId: ids.stage_id }
    const of = { ...place, campaignId: ids.campaign_id, ownerUserId: ids.owner_user_id }
    await makeOpportunity(database, accountId, { title: 'Mine', ...of })
    await makeOpportunity(database, accountId, { title: 'Other' })
    return { ...tenant, ids }
  }

  test.each(FILTERS)('%s finds what is of it, in any spelling', async (name) => {
    const { client, ids } = await filtered()
    expect(await titlesOf(client, { [name]: ids[name] })).toEqual(['Mine'])
    expect(await titlesOf(client, { [name]: ids[name].toUpperCase() })).toEqual(['Mine'])
    expect(await titlesOf(client, { [name]: '' })).toEqual(['Mine', 'Other'])
  })

  test.each(FILTERS)('%s that is unknown or no id matches nothing', async (name) => {
    const { client } = await filtered()
    for (const nothing of [randomUUID(), 'hot', '1', "' or 1=1"]) {
      const { status, body } = await list(client, { [name]: nothing })
      expect({ status, data: body.data, total: body.pagination.total }).toEqual({ status: 200, data: [], total: 0 })
    }
  })

  test('combine: an opportunity meets every one of them', async () => {
    const { client, accountId, ids } = await filtered()
    const { stageIds } = await defaultPipelineOf(service.database, accountId)
    expect(await titlesOf(client, { ...ids, search: 'mine', created_after: '2020-01-01' })).toEqual(['Mine'])
    expect(await titlesOf(client, { ...ids, stage_id: stageIds[0]! })).toEqual([])
    expect(await titlesOf(client, { ...ids, search: 'other' })).toEqual([])
  })

  test('keep exact totals through moves, changes and deletes', async () => {
    const { client, ids } = await filtered()
    const totals = async () => {
      const bodies = await Promise.all(
        [{}, ...FILTERS.map((name) => ({ [name]: ids[name] }))].map((f) => list(client, f)),
      )
      return bodies.map(({ body }) => body.pagination.total)
    }
    expect(await totals()).toEqual([2, 1, 1, 1, 1])
    const other = (await list(client, { search: 'other' })).body.data[0]
    await client.call('PATCH', `/opportunities/${other.id}/stage`, { body: { stage_id: ids.stage_id } })
    expect(await totals()).toEqual([2, 2, 2, 1, 1])
    await client.put(`/opportunities/${other.id}`, { owner_user_id: ids.owner_user_id })
    expect(await totals()).toEqual([2, 2, 2, 1, 2])
    await client.delete(`/opportunities/${other.id}`)
    expect(await totals()).toEqual([1, 1, 1, 1, 1])
  })
})

describe('the bounds', () => {
  const stamped = async () => {
    const tenant = await makeTenant(service)
    const moments = [0, 1, 2].map((ms) => ({ title: `+${ms}`, createdAt: at(ms), updatedAt: at(1000 + ms) }))
    await storeOpportunities(service.database, tenant.accountId, moments)
    return tenant
  }

  test.each([
    ['created', 0],
    ['updated', 1000],
  ])('on %s are inclusive to the millisecond', async (what, offset) => {
    const { client } = await stamped()
    const moment = at(offset + 1).toISOString()
    expect(await titlesOf(client, { [`${what}_after`]: moment })).toEqual(['+1', '+2'])
    expect(await titlesOf(client, { [`${what}_before`]: moment })).toEqual(['+0', '+1'])
    expect(await titlesOf(client, { [`${what}_after`]: moment, [`${what}_before`]: moment })).toEqual(['+1'])
    const turned = { [`${what}_after`]: at(offset + 2).toISOString(), [`${what}_before`]: moment }
    expect(await titlesOf(client, turned)).toEqual([])
  })

  test('that are dates alone mean the whole day', async () => {
    const { client } = await stamped()
    expect(await titlesOf(client, { created_after: '2026-03-01', created_before: '2026-03-01' })).toHaveLength(3)
    expect(await titlesOf(client, { created_after: '2026-03-02' })).toEqual([])
    expect(await titlesOf(client, { updated_before: '2026-02-28' })).toEqual([])
  })

  test('a value that was read can be sent back as both bounds', async () => {
    const { client } = await makeTenant(service)
    for (let i = 0; i < 4; i++) await client.post('/opportunities', { name: `Lead ${i}` })
    for (const { id, created_at, updated_at } of (await list(client)).body.data) {
      const bounds = { created_after: created_at, created_before: created_at, updated_after: updated_at }
      const found = (await list(client, { ...bounds, updated_before: updated_at })).body.data
      expect(found.map((one: Shown) => one.id)).toContain(id)
    }
  })

  test('that are no dates are refused, each by its name', async () => {
    const { client } = await makeTenant(service)
    const wrong = { created_after: 'yesterday', created_before: '2024-02-30', updated_after: 'x', updated_before: '17' }
    const { status, body } = await list(client, wrong)
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
    expect(body.error.details.map(({ field }: { field: string }) => field).sort()).toEqual(Object.keys(wrong).sort())
  })
})

describe('sorting', () => {
  const inOrder = async (client: Client, parameters: Asked) =>
    (await list(client, parameters)).body.data.map(({ title }: Shown) => title)
  const store = async (...rows: Partial<Opportunity>[]) => {
    const tenant = await makeTenant(service)
    await storeOpportunities(service.database, tenant.accountId, rows)
    return tenant.client
  }

  test.each(['created_at', 'updated_at'])('by %s goes by time, both ways', async (sort_by) => {
    const field = sort_by === 'created_at' ? 'createdAt' : 'updatedAt'
    const client = await store(...[2, 1, 86_400_000, 3].map((ms) => ({ title: String(ms), [field]: at(ms) })))
    expect(await inOrder(client, { sort_by, sort_order: 'asc' })).toEqual(['1', '2', '3', '86400000'])
    expect(await inOrder(client, { sort_by })).toEqual(['86400000', '3', '2', '1'])
    if (sort_by === 'created_at') expect(await inOrder(client, {})).toEqual(['86400000', '3', '2', '1'])
  })

  test('by title is without case and accents, both ways', async () => {
    const titles = ['zebra', 'Éclair', 'Abel', 'ábaco', 'eclipse', 'Ábside', 'Zé', '_x', '10']
    const client = await store(...titles.map((title) => ({ title })))
    const expected = ['10', '_x', 'ábaco', 'Abel', 'Ábside', 'Éclair', 'eclipse', 'Zé', 'zebra']
    expect(await inOrder(client, { sort_by: 'title', sort_order: 'asc' })).toEqual(expected)
    expect(await inOrder(client, { sort_by: 'title', sort_order: 'desc' })).toEqual(expected.toReversed())
  })

  test('by value goes by the number, to the cent', async () => {
    const client = await store(
      ...[9, 10, 9.99, 0, 999_999_999_999.99, 100].map((value) => ({ title: `${value}`, value })),
    )
    const expected = ['0', '9', '9.99', '10', '100', '999999999999.99']
    expect(await inOrder(client, { sort_by: 'value', sort_order: 'asc' })).toEqual(expected)
    expect(await inOrder(client, { sort_by: 'value', sort_order: 'desc' })).toEqual(expected.toReversed())
  })

  test('by an unknown field or order is the default, with a warning', async () => {
    const client = await store({ title: 'b', createdAt: at(1) }, { title: 'a', createdAt: at(2) })
    const { status, body } = await list(client, { sort_by: 'score', sort_order: 'upwards' })
    expect({ status, titles: body.data.map(({ title }: Shown) => title) }).toEqual({ status: 200, titles: ['a', 'b'] })
    expect(body.warnings.map(({ field }: { field: string }) => field)).toEqual(['sort_by', 'sort_order'])
  })
})

describe('pages', () => {
  /** All ids, page by page. */
  async function throughPages(client: Client, parameters: Asked): Promise<string[]> {
    const ids: string[] = []
    for (let page = 1; page <= 5; page++) {
      const { body } = await list(client, { ...parameters, page, limit: 7 })
      expect(body.pagination).toMatchObject({ page, total: 30, total_pages: 5, has_next: page < 5 })
      ids.push(...body.data.map(({ id }: Shown) => id))
    }
    return ids
  }

  test.each(['created_at', 'updated_at', 'title', 'value'])(
    'by %s show every opportunity once where all are equal, both ways',
    async (sort_by) => {
      const { accountId, client } = await makeTenant(service)
      const same = { value: 5, createdAt: at(1), updatedAt: at(1) }
      // Equal without case and accents is equal.
      const rows = Array.from({ length: 30 }, (_, i) => ({ ...same, title: i % 2 ? 'Áb' : 'aB' }))
      const ascending = (await storeOpportunities(service.database, accountId, rows)).toSorted()
      const { id, stageIds } = await defaultPipelineOf(service.database, accountId)
      for (const filter of [{}, { search: 'ab' }, { pipeline_id: id, stage_id: stageIds[0]! }] as Asked[]) {
        expect(await throughPages(client, { ...filter, sort_by, sort_order: 'asc' })).toEqual(ascending)
        expect(await throughPages(client, { ...filter, sort_by, sort_order: 'desc' })).toEqual(ascending.toReversed())
      }
    },
  )

  test.each([4, 2_147_483_647])('past the end, page %d is empty with true totals', async (page) => {
    const { accountId, client } = await makeTenant(service)
    await storeOpportunities(
      service.database,
      accountId,
      Array.from({ length: 10 }, (_, i) => ({ title: `No ${i}` })),
    )
    const { stageIds } = await defaultPipelineOf(service.database, accountId)
    for (const filter of [{}, { stage_id: stageIds[0]! }, { search: 'no' }] as Asked[]) {
      const { status, body } = await list(client, { page, limit: 4, ...filter })
      expect({ status, data: body.data }).toEqual({ status: 200, data: [] })
      expect(body.pagination).toMatchObject({
        page,
        total: 10,
        total_pages: 3,
        has_next: false,
        has_prev: true,
        next_cursor: null,
      })
    }
  })

  test('outside the bounds take the nearest one, with a warning', async () => {
    const { client } = await accountWith({})
    const { status, body } = await list(client, { page: 0, limit: 101 })
    expect({ status, ...body.pagination }).toMatchObject({ status: 200, page: 1, per_page: 100, total: 1 })
    expect(body.warnings.map(({ field }: { field: string }) => field)).toEqual(['page', 'limit'])
    expect((await list(client, { page: '1.5' })).body.error.details).toMatchObject([{ field: 'page' }])
  })
})

describe('who may list', () => {
  test('only keys that may read opportunities', async () => {
    const { accountId } = await makeTenant(service)
    expect((await createClient(service.origin).get('/opportunities')).status).toBe(401)
    for (const [permission, status] of [
      ['opportunities:read', 200],
      ['opportunities:*', 200],
      ['opportunities:write', 403],
      ['contacts:read', 403],
    ] as const) {
      const { secret } = await makeKey(service.database, accountId, { permissions: [permission] })
      expect((await createClient(service.origin, secret).get('/opportunities')).status).toBe(status)
    }
  })

  test.each([
    ['with row security', () => service],
    ['without it', () => unwalled],
  ])("nobody sees another account's, %s", async (_, appOf) => {
    const app = appOf()
    const [theirs, mine] = [await makeTenant(app), await makeTenant(app)]
    const { database } = app
    const owner = await makeUser(database, theirs.accountId)
    const campaign = await makeCampaign(database, theirs.accountId)
    const secret = await makeOpportunity(database, theirs.accountId, {
      title: 'Secret',
      contact: { name: 'Secret', company: 'Secret' },
      ownerUserId: owner.id,
      campaignId: campaign.id,
    })
    await makeOpportunity(database, mine.accountId, { title: 'Mine' })
    const ids = { stage_id: secret.stageId, pipeline_id: secret.pipelineId, owner_user_id: owner.id }
    const queries: Asked[] = [
      { search: 'secret' },
      { search: 's', company: 's' },
      { company: 'secret' },
      { campaign_id: campaign.id },
      ...Object.entries(ids).map(([name, id]) => ({ [name]: id })),
    ]
    for (const parameters of queries) {
      const hidden = (await list(mine.client, parameters)).body
      expect({ parameters, data: hidden.data, ...hidden.pagination }).toMatchObject({ parameters, data: [], total: 0 })
      expect((await list(mine.client, { ...parameters, page: 2 })).body.pagination.total).toBe(0)
      expect((await list(theirs.client, parameters)).body.data).toMatchObject([{ id: secret.id }])
    }
    expect((await list(mine.client)).body).toMatchObject({ data: [{ title: 'Mine' }], pagination: { total: 1 } })
  })
})

describe('a copy', () => {
  test('is kept up to date by reading on from the last change, contacts and parts included', async () => {
    const { accountId, client } = await makeTenant(service)
    const opportunities: Opportunity[] = []
    for (let i = 0; i < 5; i++) opportunities.push(await makeOpportunity(service.database, accountId))
    const sync = async (from: string) => {
      const found = await list(client, { updated_after: from, sort_by: 'updated_at', sort_order: 'asc' })
      return found.body.data as Shown[]
    }
    const all = await sync('2000-01-01')
    expect(all.map(({ id }) => id)).toEqual(opportunities.map(({ id }) => id))
    const last = all.at(-1)!.updated_at
    await client.put(`/contacts/${opportunities[2]!.contactId}`, { phone: '+5511999990000' })
    await client.put(`/opportunities/${opportunities[0]!.id}`, { notes: 'x' })
    const [again, ...changed] = await sync(last)
    expect(again!.id).toBe(opportunities[4]!.id) // the bound is inclusive
    expect(changed.map(({ id }) => id)).toEqual([opportunities[2]!.id, opportunities[0]!.id])
  })

  test('waits for older writers of the account that still run', async () => {
    const { accountId, client } = await makeTenant(service)
    const { id } = await makeOpportunity(service.database, accountId, { title: 'First' })
    const slow = await service.database.pool.connect()
    const titles = async () => titlesOf(client, { updated_after: '2000-01-01', sort_by: 'updated_at' })
    try {
      await new Promise((resolve) => setTimeout(resolve, 5)) // what came in the millisecond in which it begins waits for it too
      await slow.query('begin')
      await slow.query(`update opportunity set notes = 'slow' where id = $1`, [id])
      await new Promise((resolve) => setTimeout(resolve, 5))
      await makeOpportunity(service.database, accountId, { title: 'Second' })
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect(await titles()).toEqual(['First']) // as it was
      await slow.query('commit')
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect(await titles()).toEqual(['First', 'Second'])
    } finally {
      slow.release()
    }
  })
})

describe('the statements', () => {
  /** How many statements a call takes. */
  async function countOf(call: () => Promise<{ status: number }>): Promise<number> {
    const { result, statements } = await service.statementsOf(call)
    expect(result.status).toBe(200)
    return statements.length
  }
  const asked = async (accountId: string): Promise<Asked[]> => {
    const { id, stageIds } = await defaultPipelineOf(service.database, accountId)
    return [
      {},
      { page: 2, limit: 1 },
      { sort_by: 'title', sort_order: 'asc' },
      { search: 'a' },
      { search: 'roof', company: 'co', created_after: '2020-01-01', page: 2, limit: 1 },
      { pipeline_id: id, stage_id: stageIds[0]!, page: 2, limit: 1 },
      { sort_by: 'updated_at', updated_after: '2020-01-01' },
    ]
  }

  test('of a list are one; two past the end and for a copy; none where nothing can match', async () => {
    const contact = { name: 'Ana', company: 'Co' }
    const { accountId, client } = await accountWith({ title: 'Roof a', contact }, { title: 'Roof b', contact })
    for (const parameters of await asked(accountId)) {
      expect({ parameters, count: await countOf(() => list(client, parameters)) }).toEqual({ parameters, count: 1 })
    }
    const copy = { updated_after: '2020-01-01', sort_by: 'updated_at', sort_order: 'asc' }
    await list(client, copy) // the day's first is written down by the audit
    for (const parameters of [{ page: 3 }, { page: 3, search: 'roof' }, copy] as Asked[]) {
      expect({ parameters, count: await countOf(() => list(client, parameters)) }).toEqual({ parameters, count: 2 })
    }
    expect(await countOf(() => list(client, { stage_id: 'none' }))).toBe(0)
  })
})
