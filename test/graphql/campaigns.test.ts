import { randomUUID } from 'node:crypto'
import { Sector } from '../../src/domains/reference/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { dumpOf } from '../support/dump.js'
import { makeCampaign } from '../support/factories/campaigns.js'
import { makeUser } from '../support/factories/users.js'
import { makeContact, makeKey, makeTenant, type Tenant } from '../support/factories.js'
import { dataOf, describeGuards, failureOf, faultsOf, TIMESTAMP } from '../support/graphql.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const PLAIN = `id name description status channel automationActive sectorId defaultResponsibleId contactCount createdAt
  updatedAt`
const CAMPAIGN = `${PLAIN} sector { id name } defaultResponsible { id name email }`
const PAGE = 'pagination { page perPage total totalPages hasNext hasPrev nextCursor }'
const LIST = `query ($filter: CampaignFilter, $page: Int, $limit: Int) {
  campaigns(filter: $filter, page: $page, limit: $limit) { items { ${CAMPAIGN} } ${PAGE} } }`
const GET = `query ($id: ID!) { campaign(id: $id) { ${CAMPAIGN} } }`
const CREATE = `mutation ($input: CreateCampaignInput!) { createCampaign(input: $input) { ${CAMPAIGN} } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateCampaignInput!) { updateCampaign(id: $id, input: $input) { ${CAMPAIGN} } }`
const DELETE = 'mutation ($id: ID!) { deleteCampaign(id: $id) { id deleted } }'
const MEMBER = 'id campaignId contactId status createdAt updatedAt'
const MEMBERS = `query ($id: ID!, $status: String, $page: Int, $limit: Int) {
  campaignContacts(campaignId: $id, status: $status, page: $page, limit: $limit) {
    items { ${MEMBER} contact { id name email } campaign { name } } ${PAGE} } }`
const ADD = `mutation ($id: ID!, $input: CampaignContactInput!) { addCampaignContact(campaignId: $id, input: $input) {
  campaignContact { ${MEMBER} } contact { id name company tags { name } createdAt } campaign { ${CAMPAIGN} } } }`
const MOVE = `mutation ($id: ID!, $status: CampaignContactStatus!) {
  updateCampaignContact(id: $id, status: $status) { ${MEMBER} } }`
const REMOVE = 'mutation ($id: ID!) { removeCampaignContact(id: $id) { id deleted } }'

const make = ({ accountId }: Tenant, overrides = {}) => makeCampaign(service.database, accountId, overrides)
const idOf = async (tenant: Tenant) => ({ id: (await make(tenant)).id })
const PERSON = { name: 'Ana', linkedinProfileUrl: 'linkedin.com/in/ana' }

async function makeSector({ accountId }: Tenant, overrides: Partial<Sector> = {}): Promise<Sector> {
  const em = service.database.fork()
  const sector = em.create(Sector, { name: `Sector ${randomUUID()}`, ...overrides, accountId })
  await em.flush()
  return sector
}

async function withContacts(tenant: Tenant, count: number) {
  const contacts = await Promise.all(
    Array.from({ length: count }, (_, i) => makeContact(service.database, tenant.accountId, { name: `Contact ${i}` })),
  )
  const contactIds = contacts.map(({ id }) => id)
  return { ...(await make(tenant, { name: 'Full', contactIds })), contactIds }
}
const memberOf = async (tenant: Tenant) => ({ id: (await withContacts(tenant, 1)).memberIds[0] })

/** The query without what wants further permissions. */
const plain = (query: string) => query.replaceAll(CAMPAIGN, PLAIN)

describeGuards(
  () => service,
  [
    {
      name: 'createCampaign',
      query: plain(CREATE),
      permission: 'settings:write',
      variables: () => ({ input: { name: 'A' } }),
    },
    {
      name: 'updateCampaign',
      query: plain(UPDATE),
      permission: 'settings:write',
      id: 'id',
      variables: async (tenant) => ({ ...(await idOf(tenant)), input: { name: 'Changed' } }),
    },
    { name: 'deleteCampaign', query: DELETE, permission: 'settings:write', id: 'id', variables: idOf },
    {
      name: 'addCampaignContact',
      query: plain(ADD),
      permission: 'campaigns:write',
      id: 'id',
      variables: async (tenant) => ({ ...(await idOf(tenant)), input: PERSON }),
    },
    {
      name: 'updateCampaignContact',
      query: MOVE,
      permission: 'settings:write',
      id: 'id',
      variables: async (tenant) => ({ ...(await memberOf(tenant)), status: 'REJECTED' }),
    },
    { name: 'removeCampaignContact', query: REMOVE, permission: 'settings:write', id: 'id', variables: memberOf },
  ],
)

describe('a campaign', () => {
  test('is a draft with nothing else unless said otherwise', async () => {
    const tenant = await makeTenant(service)
    const made = dataOf(await tenant.client.graphql(CREATE, { input: { name: ' Spring ', channel: '' } }))
    expect(made).toEqual({
      id: expect.any(String),
      name: 'Spring',
      description: null,
      status: 'DRAFT',
      channel: null,
      automationActive: false,
      sectorId: null,
      defaultResponsibleId: null,
      contactCount: 0,
      createdAt: TIMESTAMP,
      updatedAt: TIMESTAMP,
      sector: null,
      defaultResponsible: null,
    })
    expect(dataOf(await tenant.client.graphql(GET, { id: made.id.toUpperCase() }))).toEqual(made)
  })

  test('is created and changed with its sector and its responsible user, in the given fields alone', async () => {
    const tenant = await makeTenant(service)
    const [sector, user] = [await makeSector(tenant), await makeUser(service.database, tenant.accountId)]
    const references = { sectorId: sector.id, defaultResponsibleId: user.id }
    const fields = { description: 'd', status: 'ACTIVE', channel: 'whatsapp', automationActive: true }
    const made = dataOf(await tenant.client.graphql(CREATE, { input: { name: 'A', ...fields, ...references } }))
    expect(made).toMatchObject({
      ...fields,
      ...references,
      sector: { id: sector.id, name: sector.name },
      defaultResponsible: { id: user.id, name: user.name, email: user.email },
    })
    const change = async (input: object) => dataOf(await tenant.client.graphql(UPDATE, { id: made.id, input }))
    expect(await change({ status: 'PAUSED' })).toEqual({ ...made, status: 'PAUSED', updatedAt: TIMESTAMP })
    const emptied = await change({ description: '', channel: null, sectorId: null, defaultResponsibleId: null })
    expect(emptied).toMatchObject({ description: null, channel: null, sector: null, defaultResponsible: null })
    expect(await change({})).toEqual(emptied)
    expect(await change({ channel: null, status: 'PAUSED' })).toEqual(emptied)
  })

  test('still names a sector and a user that were deleted since', async () => {
    const tenant = await makeTenant(service)
    const [sector, user] = [await makeSector(tenant), await makeUser(service.database, tenant.accountId)]
    const { id } = await make(tenant, { sectorId: sector.id, defaultResponsibleId: user.id })
    await service.database.pool.query('update sector set deleted_at = now() where id = $1', [sector.id])
    await service.database.pool.query('update app_user set deleted_at = now() where id = $1', [user.id])
    expect(dataOf(await tenant.client.graphql(GET, { id }))).toMatchObject({
      sector: { name: sector.name },
      defaultResponsible: { name: user.name },
    })
    dataOf(await tenant.client.graphql(UPDATE, { id, input: { name: 'Changed' } }))
  })

  test.each<[object, string[]]>([
    [{ name: '' }, ['input.name: must not be empty']],
    [{ name: 'a', channel: 'x'.repeat(33) }, ['input.channel: must have at most 32 characters']],
    [
      { name: 'a', status: null, automationActive: null },
      ['input.automationActive: must not be null', 'input.status: must not be null'],
    ],
    [{ name: 'a', sectorId: 'x' }, ['input.sectorId: must be the id of a record (a uuid)']],
  ])('is not stored with %j', async (input, faults) => {
    const tenant = await makeTenant(service)
    const { id } = await make(tenant)
    const before = await dumpOf(service.database, tenant.accountId)
    expect(faultsOf(await tenant.client.graphql(CREATE, { input })).toSorted()).toEqual(faults)
    expect(faultsOf(await tenant.client.graphql(UPDATE, { id, input })).toSorted()).toEqual(faults)
    expect(await dumpOf(service.database, tenant.accountId)).toEqual(before)
  })

  test('is not stored with a sector or user that is unknown, foreign, deleted or inactive', async () => {
    const [tenant, other] = [await makeTenant(service), await makeTenant(service)]
    const { id } = await make(tenant)
    const user = (of: Tenant, overrides = {}) => makeUser(service.database, of.accountId, overrides)
    const sectors = [await makeSector(other), await makeSector(tenant, { deletedAt: new Date() }), { id: randomUUID() }]
    const users = [
      await user(other),
      await user(tenant, { deletedAt: new Date() }),
      await user(tenant, { isActive: false }),
    ]
    const before = await dumpOf(service.database, tenant.accountId)
    for (const [i, sector] of sectors.entries()) {
      const input = { name: 'a', sectorId: sector.id, defaultResponsibleId: users[i]!.id }
      const faults = [
        'input.sectorId: is not the id of a sector',
        'input.defaultResponsibleId: is not the id of an active user',
      ]
      expect(faultsOf(await tenant.client.graphql(CREATE, { input }))).toEqual(faults)
      expect(faultsOf(await tenant.client.graphql(UPDATE, { id, input }))).toEqual(faults)
    }
    expect(await dumpOf(service.database, tenant.accountId)).toEqual(before)
  })

  test('that was deleted is shown no longer, takes no contacts, and is kept with those it has', async () => {
    const tenant = await makeTenant(service)
    const { id, memberIds } = await withContacts(tenant, 2)
    expect(dataOf(await tenant.client.graphql(DELETE, { id: id.toUpperCase() }))).toEqual({ id, deleted: true })
    for (const [query, variables] of [
      [GET, {}],
      [UPDATE, { input: { name: 'a' } }],
      [DELETE, {}],
      [ADD, { input: PERSON }],
    ] as const) {
      expect(failureOf(await tenant.client.graphql(query, { id, ...variables })).code).toBe('NOT_FOUND')
    }
    expect(dataOf(await tenant.client.graphql(LIST)).items).toEqual([])
    expect(dataOf(await tenant.client.graphql(MEMBERS, { id })).items).toEqual([])
    expect((await dumpOf(service.database, tenant.accountId)).campaign_contact).toHaveLength(memberIds.length)
  })

  test('of another account or of no id is NOT_FOUND', async () => {
    const [tenant, other] = [await makeTenant(service), await makeTenant(service)]
    for (const id of [(await make(other)).id, randomUUID(), 'x']) {
      expect(failureOf(await tenant.client.graphql(GET, { id })).code).toBe('NOT_FOUND')
    }
  })
})

describe('the list', () => {
  test.each([
    ['ação', ['Ação de verão']],
    ['ACAO', ['Ação de verão']],
    ['%', ['50% off']],
    ['_', []],
    ['o', ['Outono', '50% off', 'Ação de verão']],
  ])('finds "%s" in names', async (search, expected) => {
    const tenant = await makeTenant(service)
    for (const name of ['Ação de verão', '50% off', 'Outono']) await make(tenant, { name })
    await make(tenant, { name: 'Outro ação %', deletedAt: new Date() })
    const { items, pagination } = dataOf(await tenant.client.graphql(LIST, { filter: { search } }))
    expect(items.map(({ name }: { name: string }) => name)).toEqual(expected)
    expect(pagination.total).toBe(expected.length)
  })

  test('combines its filters', async () => {
    const tenant = await makeTenant(service)
    await make(tenant, { name: 'Spring', status: 'active' })
    await make(tenant, { name: 'Spring draft' })
    await make(tenant, { name: 'Autumn', status: 'active' })
    const { items } = dataOf(await tenant.client.graphql(LIST, { filter: { search: 'spring', status: 'ACTIVE' } }))
    expect(items.map(({ name }: { name: string }) => name)).toEqual(['Spring'])
  })

  test('takes one statement, and one more for each kind of relation', async () => {
    const tenant = await makeTenant(service)
    const [sector, user] = [await makeSector(tenant), await makeUser(service.database, tenant.accountId)]
    for (let i = 0; i < 5; i++) await make(tenant, { sectorId: sector.id, defaultResponsibleId: user.id })
    const sqlOf = async (query: string) => {
      const { result, statements } = await service.statementsOf(() => tenant.client.graphql(query))
      expect(dataOf(result).items).toHaveLength(5)
      return statements
    }
    const [text, ...more] = await sqlOf('{ campaigns { items { name } } }')
    expect(more).toEqual([])
    expect(text).not.toMatch(/tally|sector s|app_user/)
    expect(await sqlOf('{ campaigns { items { name contactCount } } }')).toHaveLength(1)
    expect(await sqlOf(LIST)).toHaveLength(3)
  })

  test('shows sector and user only to who may read those', async () => {
    const tenant = await makeTenant(service)
    const [sector, user] = [await makeSector(tenant), await makeUser(service.database, tenant.accountId)]
    const { id } = await withContacts(tenant, 1)
    await make(tenant, { sectorId: sector.id, defaultResponsibleId: user.id })
    const { secret } = await makeKey(service.database, tenant.accountId, { permissions: ['campaigns:read'] })
    const client = createClient(service.origin, secret)
    for (const [field, permission] of [
      ['sector', 'sectors:read'],
      ['defaultResponsible', 'users:read'],
    ] as const) {
      const { body } = await client.graphql(`{ campaigns { items { name ${field} { name } } } }`)
      expect(body.errors[0].extensions).toMatchObject({ requiredPermission: permission })
      expect(JSON.stringify(body)).not.toContain(user.name)
    }
    const { body } = await client.graphql(`{ campaignContacts(campaignId: "${id}") { items { contact { name } } } }`)
    expect(body.errors[0].extensions).toMatchObject({ requiredPermission: 'contacts:read' })
  })
})

describe('the contacts of a campaign', () => {
  test('are listed with contact and campaign, the latest first, by status, page by page, each once', async () => {
    const tenant = await makeTenant(service)
    const { id, memberIds, contactIds } = await withContacts(tenant, 30)
    await service.database.pool.query(
      `update campaign_contact set created_at = '2026-01-01', status = case when id = $2 then 'rejected' else status end
       where campaign_id = $1`,
      [id, memberIds[3]],
    )
    const shown: { id: string; contactId: string; contact: object }[] = []
    for (let page = 1; page <= 5; page++) {
      const { items, pagination } = dataOf(await tenant.client.graphql(MEMBERS, { id, page, limit: 7 }))
      expect(pagination).toEqual({
        page,
        perPage: 7,
        total: 30,
        totalPages: 5,
        hasNext: page < 5,
        hasPrev: page > 1,
        nextCursor: page < 5 ? expect.any(String) : null,
      })
      shown.push(...items)
    }
    expect(shown.map((one) => one.id)).toEqual(memberIds.toSorted().reverse())
    expect(shown.find((one) => one.id === memberIds[0])).toEqual({
      id: memberIds[0],
      campaignId: id,
      contactId: contactIds[0],
      status: 'COLLECTED',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: TIMESTAMP,
      contact: { id: contactIds[0], name: 'Contact 0', email: null },
      campaign: { name: 'Full' },
    })
    const found = async (status: string) =>
      dataOf(await tenant.client.graphql(MEMBERS, { id, status })).items.map((one: { id: string }) => one.id)
    expect(await found('REJECTED')).toEqual([memberIds[3]])
    expect(await found('rejected')).toEqual([memberIds[3]])
    expect(await found('unknown')).toEqual([])
    const past = dataOf(await tenant.client.graphql(MEMBERS, { id, page: 9 }))
    expect(past).toMatchObject({ items: [], pagination: { total: 30 } })
  })

  test('take three statements with contacts and campaign', async () => {
    const tenant = await makeTenant(service)
    const { id } = await withContacts(tenant, 5)
    const { result, statements } = await service.statementsOf(() => tenant.client.graphql(MEMBERS, { id }))
    expect(dataOf(result).items).toHaveLength(5)
    expect(statements).toHaveLength(3)
  })

  test('of another account or an unknown campaign are none', async () => {
    const [tenant, other] = [await makeTenant(service), await makeTenant(service)]
    const { id } = await withContacts(other, 2)
    for (const wrong of [id, randomUUID(), 'x']) {
      const { items, pagination } = dataOf(await tenant.client.graphql(MEMBERS, { id: wrong }))
      expect([items, pagination.total]).toEqual([[], 0])
    }
  })

  test('are added, moved and removed', async () => {
    const tenant = await makeTenant(service)
    const { id } = await make(tenant)
    const added = dataOf(await tenant.client.graphql(ADD, { id, input: { ...PERSON, company: 'Acme' } }))
    expect(added).toMatchObject({
      campaignContact: { campaignId: id, contactId: added.contact.id, status: 'APPROVED' },
      contact: { name: 'Ana', company: 'Acme', tags: [], createdAt: TIMESTAMP },
      campaign: { id, contactCount: 1 },
    })
    const again = await tenant.client.graphql(ADD, { id, input: PERSON })
    expect(failureOf(again)).toMatchObject({ code: 'DUPLICATE_ERROR', existingStatus: 'approved' })
    const member = added.campaignContact
    const moved = dataOf(await tenant.client.graphql(MOVE, { id: member.id.toUpperCase(), status: 'INVITE_SENT' }))
    expect(moved).toEqual({ ...member, status: 'INVITE_SENT', updatedAt: TIMESTAMP })
    expect(Date.parse(moved.updatedAt)).toBeGreaterThan(Date.parse(member.updatedAt))
    expect(dataOf(await tenant.client.graphql(MOVE, { id: member.id, status: 'INVITE_SENT' }))).toEqual(moved)
    const bad = await tenant.client.graphql(MOVE, { id: member.id, status: 'GONE' })
    expect(failureOf(bad).code).toBe('BAD_USER_INPUT')
    expect(dataOf(await tenant.client.graphql(REMOVE, { id: member.id }))).toEqual({ id: member.id, deleted: true })
    expect(failureOf(await tenant.client.graphql(REMOVE, { id: member.id })).code).toBe('NOT_FOUND')
    expect(dataOf(await tenant.client.graphql(GET, { id })).contactCount).toBe(0)
    expect((await tenant.client.get(`/contacts/${added.contact.id}`)).status).toBe(200)
  })
})
