import { randomUUID } from 'node:crypto'
import { Account } from '../../src/domains/accounts/index.js'
import { Lifecycle, type Stage } from '../../src/domains/pipelines/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Answer, type Client, createClient } from '../support/client.js'
import { dumpOf } from '../support/dump.js'
import { makeCampaign } from '../support/factories/campaigns.js'
import { makeOpportunity } from '../support/factories/opportunities.js'
import { defaultPipelineOf, makePipeline } from '../support/factories/pipelines.js'
import { makeSector } from '../support/factories/reference.js'
import { makeUser } from '../support/factories/users.js'
import { makeContact, makeKey, makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const faultsOf = ({ status, body }: Answer) => ({
  status,
  code: body.error?.code,
  fields: body.error?.details?.map(({ field }: { field: string }) => field).sort(),
})

/** Creates an opportunity that is expected to be one, and returns what the answer holds. */
async function create(client: Client, body: object, headers?: Record<string, string>) {
  const answer = await client.post('/opportunities', body, headers)
  expect({ status: answer.status, error: answer.body.error }).toEqual({ status: 201, error: undefined })
  return answer.body.data
}
const read = async (client: Client, id: string) => (await client.get(`/opportunities/${id}`)).body.data
const contactOf = async (client: Client, id: string) => (await client.get(`/contacts/${id}`)).body.data
const contactCount = async (client: Client) => (await client.get('/contacts')).body.pagination.total

const LEAD = {
  name: 'Zoë Ferreira',
  title: 'Buyer',
  company: 'Acme',
  location: 'Lisboa',
  headline: 'Buys.',
  profile_url: 'https://www.linkedin.com/in/zoe',
  profile_picture: 'https://example.com/zoe.png',
  phone: '(11) 98765-4321',
  email: 'Zoe@Example.com',
}

describe('the answer', () => {
  test('has all that was sent, and a contact of it', async () => {
    const { accountId, client } = await makeTenant(service)
    const { database } = service
    const pipeline = await makePipeline(database, accountId, { stages: ['Met', 'Called'] })
    const [owner, sector] = [await makeUser(database, accountId), await makeSector(database, accountId)]
    const campaign = await makeCampaign(database, accountId, { name: 'Spring' })
    const sent = {
      ...LEAD,
      score: 75,
      notes: 'Met at the fair.\r\nTwice.',
      campaign_id: campaign.id,
      owner_user_id: owner.id.toUpperCase(),
      sector_id: sector.id,
      pipeline_id: pipeline.id,
      stage_id: pipeline.stages[1]!.id,
      source: 'google_maps',
    }
    const { status, body } = await client.post('/opportunities', sent)
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        success: true,
        data: {
          id: expect.any(String),
          title: 'Zoë Ferreira',
          score: 75,
          source: 'google_maps',
          notes: 'Met at the fair.\nTwice.',
          pipeline_id: pipeline.id,
          stage_id: pipeline.stages[1]!.id,
          campaign_id: campaign.id,
          owner_user_id: owner.id,
          contact_id: expect.any(String),
          contact_name: 'Zoë Ferreira',
          contact_email: 'Zoe@Example.com',
          contact_phone: '+5511987654321',
          contact_company: 'Acme',
          contact_title: 'Buyer',
          campaign_name: 'Spring',
          owner_user_name: owner.name,
          owner_user_email: owner.email,
          created_at: TIME,
          updated_at: TIME,
        },
      },
    })
    const { id, contact_id } = body.data
    expect(await read(client, id)).toMatchObject({ ...body.data, sector_id: sector.id, value: 0, currency: 'BRL' })
    expect(await contactOf(client, contact_id)).toMatchObject({
      name: 'Zoë Ferreira',
      linkedin_profile_url: LEAD.profile_url,
      location: 'Lisboa',
      source: 'api',
    })
    const asked = 'query ($id: ID!) { contact(id: $id) { headline profilePicture } }'
    expect((await client.graphql(asked, { id: contact_id })).body.data.contact).toEqual({
      headline: 'Buys.',
      profilePicture: LEAD.profile_picture,
    })
  })

  test('of a name alone has the defaults', async () => {
    const { accountId, client } = await makeTenant(service)
    await service.database.fork().nativeUpdate(Account, accountId, { currency: 'EUR' })
    const { id: pipeline, stageIds } = await defaultPipelineOf(service.database, accountId)
    const { id, contact_id } = await create(client, { name: '  Ana \t' })
    const shown = await read(client, id)
    const filled = Object.entries(shown).filter(([, value]) => value !== null)
    expect(Object.fromEntries(filled)).toEqual({
      id,
      title: 'Ana',
      value: 0,
      currency: 'EUR',
      pipeline_id: pipeline,
      pipeline_name: 'Sales',
      stage_id: stageIds[0],
      stage_name: 'New',
      score: 0,
      source: 'other',
      created_at: shown.updated_at,
      updated_at: TIME,
      contact_id,
      contact_name: 'Ana',
      products: [],
      comments: [],
    })
  })

  test('of what is null or empty is the same', async () => {
    const { accountId, client } = await makeTenant(service)
    const names = [
      ...Object.keys(LEAD),
      'notes',
      'campaign_id',
      'owner_user_id',
      'sector_id',
      'pipeline_id',
      'stage_id',
    ]
    const nothing = Object.fromEntries(names.map((name, i) => [name, i % 2 ? null : '  ']))
    const { stageIds } = await defaultPipelineOf(service.database, accountId)
    const data = await create(client, { ...nothing, name: 'Ana', score: null, source: null })
    expect(data).toMatchObject({ title: 'Ana', score: 0, source: 'other', stage_id: stageIds[0], notes: null })
    expect(data).toMatchObject({ contact_company: null, contact_email: null, owner_user_id: null })
  })

  test.each([
    [74.5, 75],
    [74.49, 74],
    [-0.4, 0],
    [-3, -3],
    [2_147_483_647, 2_147_483_647],
    [2_147_483_646.5, 2_147_483_647],
    [-2_147_483_648, -2_147_483_648],
  ])('rounds the score %d to %d', async (score, rounded) => {
    const { client } = await makeTenant(service)
    expect((await create(client, { name: 'Ana', score })).score).toBe(rounded)
  })

  test.each([2_147_483_648, 2_147_483_647.5, -2_147_483_649, 1e300])('refuses the score %d', async (score) => {
    const { client } = await makeTenant(service)
    const refused = await client.post('/opportunities', { name: 'Ana', score })
    expect(faultsOf(refused)).toEqual({ status: 400, code: 'VALIDATION_ERROR', fields: ['score'] })
    expect(await contactCount(client)).toBe(0)
  })
})

describe('the contact', () => {
  test('is recognised by its email without regard to case, and only what it lacks is filled in', async () => {
    const { accountId, client } = await makeTenant(service)
    const { id } = await makeContact(service.database, accountId, {
      name: 'Zoe F.',
      email: 'zoe@example.com',
      company: 'Own',
      title: '',
      location: null,
    })
    const data = await create(client, LEAD)
    expect(data).toMatchObject({
      title: 'Zoë Ferreira',
      contact_id: id,
      contact_name: 'Zoe F.',
      contact_email: 'zoe@example.com',
      contact_phone: '+5511987654321',
      contact_company: 'Own',
      contact_title: 'Buyer',
    })
    const filled = await contactOf(client, id)
    expect(filled).toMatchObject({ location: 'Lisboa', linkedin_profile_url: LEAD.profile_url, company: 'Own' })
    const before = await read(client, data.id)

    const again = await create(client, { ...LEAD, name: 'Another', email: ' ZOE@example.com ', phone: '1', title: 'X' })
    expect(again).toMatchObject({ title: 'Another', contact_id: id, contact_title: 'Buyer', contact_name: 'Zoe F.' })
    expect(await contactOf(client, id)).toEqual(filled)
    expect(await read(client, data.id)).toEqual(before)
    expect(await contactCount(client)).toBe(1)
  })

  test('that gets something filled in changes its other opportunities', async () => {
    const { accountId, client } = await makeTenant(service)
    const contact = { name: 'Zoe', email: LEAD.email }
    const { id } = await makeOpportunity(service.database, accountId, { contact })
    const before = await read(client, id)
    await create(client, LEAD)
    const after = await read(client, id)
    expect(after).toMatchObject({ contact_name: 'Zoe', contact_company: 'Acme', contact_title: 'Buyer' })
    expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at))
  })

  test('is a new one without an email, and of another account for another', async () => {
    const { client } = await makeTenant(service)
    const [one, two] = [await create(client, { name: 'Ana' }), await create(client, { name: 'Ana' })]
    expect(one.contact_id).not.toBe(two.contact_id)
    const [mine, theirs] = [await create(client, LEAD), await create((await makeTenant(service)).client, LEAD)]
    expect(mine.contact_id).not.toBe(theirs.contact_id)
  })

  test('is one for twelve that arrive at once with a new email, each of which becomes an opportunity', async () => {
    const { client } = await makeTenant(service)
    const leads = Array.from({ length: 12 }, (_, i) => ({
      name: `Ana ${i}`,
      email: i % 2 ? 'ana@x.test' : 'ANA@x.test',
    }))
    const created = await Promise.all(leads.map((lead) => create(client, lead)))
    expect(new Set(created.map(({ contact_id }) => contact_id)).size).toBe(1)
    expect(await contactCount(client)).toBe(1)
    expect((await client.get('/opportunities')).body.pagination.total).toBe(12)
  })

  test('that several fill in at once, by a rule of turns, holds none of them up', async () => {
    const { accountId, client } = await makeTenant(service)
    const users = [await makeUser(service.database, accountId), await makeUser(service.database, accountId)]
    await setRule(client, { userIds: users.map(({ id }) => id) })
    for (let round = 0; round < 4; round++) {
      const email = `ana${round}@x.test`
      await makeContact(service.database, accountId, { name: 'Ana', email })
      const gaps = [{}, { company: 'Acme' }, {}, { title: 'Buyer' }, {}, { location: 'Lisboa' }, {}, { phone: '1' }]
      const creations = () => Promise.all(gaps.map((gap) => create(client, { name: 'Ana', email, ...gap })))
      const { statements } = await service.statementsOf(creations)
      // Transactions that wait for each other are told apart after a second, by the end of one of them.
      expect(statements).toContain('begin')
      expect(statements).not.toContain('rollback')
    }
  })

  test('that is deleted meanwhile is made anew or parted from it', async () => {
    const { accountId, client } = await makeTenant(service)
    for (let round = 0; round < 10; round++) {
      const { id } = await makeContact(service.database, accountId, { name: 'Ana', email: 'ana@x.test' })
      const calls = Array.from({ length: 3 }, () => client.post('/opportunities', { name: 'Ana', email: 'ana@x.test' }))
      const deleting = client.delete(`/contacts/${id}`)
      calls.push(
        ...Array.from({ length: 3 }, () => client.post('/opportunities', { name: 'Ana', email: 'ana@x.test' })),
      )
      expect((await deleting).status).toBe(200)
      for (const { status, body } of await Promise.all(calls)) {
        expect(status).toBe(201)
        const { contact_id, contact_name, title } = await read(client, body.data.id)
        if (body.data.contact_id === id) {
          expect({ contact_id, contact_name, title }).toEqual({
            contact_id: null,
            contact_name: null,
            title: 'Deleted contact',
          })
        } else expect({ contact_name, title }).toEqual({ contact_name: 'Ana', title: 'Ana' })
      }
      const left = (await client.get('/contacts')).body.data
      expect(left.length).toBeLessThanOrEqual(1)
      for (const contact of left) await client.delete(`/contacts/${contact.id}`)
    }
  })
})

describe('the place', () => {
  test('is the first stage of a pipeline, and the pipeline of a stage', async () => {
    const { accountId, client } = await makeTenant(service)
    const pipeline = await makePipeline(service.database, accountId, { stages: ['A', 'B'], isActive: false })
    const [a, b] = pipeline.stages as [Stage, Stage]
    expect(await create(client, { name: 'x', pipeline_id: pipeline.id })).toMatchObject({ stage_id: a.id })
    expect(await create(client, { name: 'x', stage_id: b.id })).toMatchObject({
      pipeline_id: pipeline.id,
      stage_id: b.id,
    })
  })

  test('is refused when stage and pipeline do not belong together', async () => {
    const { accountId, client } = await makeTenant(service)
    const { stageIds } = await defaultPipelineOf(service.database, accountId)
    const pipeline = await makePipeline(service.database, accountId)
    const body = { name: 'x', pipeline_id: pipeline.id, stage_id: stageIds[0] }
    expect(faultsOf(await client.post('/opportunities', body))).toMatchObject({ status: 400, fields: ['stage_id'] })
  })

  test('without stages is refused', async () => {
    const { accountId, client } = await makeTenant(service)
    const { id } = await makePipeline(service.database, accountId, { stages: [] })
    const answer = await client.post('/opportunities', { name: 'x', pipeline_id: id })
    expect(faultsOf(answer)).toMatchObject({ status: 400, fields: ['pipeline_id'] })
  })

  test.each([
    [{ lifecycle: Lifecycle.SENT }, 'sent_at'],
    [{ lifecycle: Lifecycle.ACCEPTED }, 'accepted_at'],
    [{ lifecycle: Lifecycle.QUALIFYING_STARTED }, 'qualifying_started_at'],
    [{ lifecycle: Lifecycle.QUALIFIED }, 'qualified_at'],
    [{ lifecycle: Lifecycle.SCHEDULED }, 'scheduled_at'],
    [{ isWinStage: true, lifecycle: Lifecycle.WON }, 'won_at'],
    [{ isLossStage: true, lifecycle: Lifecycle.LOST }, 'lost_at'],
    [{}, undefined],
  ])('in a stage with %j sets %s alone, at the very time of the creation', async (effect, field) => {
    const { accountId, client } = await makeTenant(service)
    const { stages } = await makePipeline(service.database, accountId, { stages: [effect] })
    const { id } = await create(client, { name: 'x', stage_id: stages[0]!.id })
    const shown = await read(client, id)
    const times = 'sent_at accepted_at qualifying_started_at qualified_at scheduled_at won_at lost_at'.split(' ')
    const set = times.filter((name) => shown[name] !== null)
    expect(set).toEqual(field ? [field] : [])
    if (field) expect(shown[field]).toBe(shown.created_at)
    expect(Date.parse(shown.updated_at)).toBeGreaterThanOrEqual(Date.parse(shown.created_at))
  })

  test('is the first step of the history', async () => {
    const { client } = await makeTenant(service)
    const { id, stage_id } = await create(client, { name: 'x' })
    const { body } = await client.get(`/opportunities/${id}/history`)
    expect(body.data).toEqual([
      {
        id: expect.any(String),
        action: 'created',
        from_stage_id: null,
        from_stage_name: null,
        to_stage_id: stage_id,
        to_stage_name: 'New',
        from_value: null,
        to_value: 0,
        notes: null,
        user_name: expect.stringMatching(/^Key \d+$/),
        created_at: TIME,
      },
    ])
  })
})

describe('what cannot be referred to', () => {
  const NAMES = ['campaign_id', 'owner_user_id', 'sector_id', 'pipeline_id', 'stage_id'] as const

  /** A record of each kind in an account of its own. */
  async function foreign() {
    const { accountId } = await makeTenant(service)
    const { database } = service
    const pipeline = await makePipeline(database, accountId)
    return {
      campaign_id: (await makeCampaign(database, accountId)).id,
      owner_user_id: (await makeUser(database, accountId)).id,
      sector_id: (await makeSector(database, accountId)).id,
      pipeline_id: pipeline.id,
      stage_id: pipeline.stages[0]!.id,
    }
  }

  test.each(NAMES)('as %s is refused by that name, and nothing is stored', async (name) => {
    const { accountId, client } = await makeTenant(service)
    const before = await dumpOf(service.database, accountId)
    for (const id of [(await foreign())[name], randomUUID(), 'none', '1']) {
      const answer = await client.post('/opportunities', { ...LEAD, [name]: id })
      expect(faultsOf(answer)).toEqual({ status: 400, code: 'VALIDATION_ERROR', fields: [name] })
    }
    expect(await dumpOf(service.database, accountId)).toEqual(before)
  })

  test('is told all at once, beside other faults of the same kind', async () => {
    const { client } = await makeTenant(service)
    const ids = await foreign()
    const answer = await client.post('/opportunities', { ...LEAD, ...ids })
    expect(faultsOf(answer)).toMatchObject({ status: 400, fields: [...NAMES].sort() })
    const malformed = Object.fromEntries(NAMES.map((name) => [name, 'none']))
    const wrong = { ...malformed, name: ' ', email: 'nobody', source: 'tv', score: 'high', phone: '1'.repeat(41) }
    const fields = [...NAMES, 'name', 'email', 'source', 'score', 'phone'].sort()
    expect(faultsOf(await client.post('/opportunities', wrong))).toMatchObject({ status: 400, fields })
  })

  test('are users who are not active, and whatever was deleted', async () => {
    const { accountId, client } = await makeTenant(service)
    const { database } = service
    const deletedAt = new Date()
    for (const [name, id] of [
      ['owner_user_id', (await makeUser(database, accountId, { isActive: false })).id],
      ['owner_user_id', (await makeUser(database, accountId, { deletedAt })).id],
      ['campaign_id', (await makeCampaign(database, accountId, { deletedAt })).id],
      ['sector_id', (await makeSector(database, accountId, { deletedAt })).id],
    ]) {
      const answer = await client.post('/opportunities', { name: 'x', [name as string]: id })
      expect(faultsOf(answer)).toEqual({ status: 400, code: 'VALIDATION_ERROR', fields: [name] })
    }
    expect(await contactCount(client)).toBe(0)
  })

  test('is a name that is missing, empty or null', async () => {
    const { client } = await makeTenant(service)
    for (const body of [{}, { name: '' }, { name: ' \n' }, { name: null }, { email: 'a@x.test' }]) {
      const answer = await client.post('/opportunities', body)
      expect(faultsOf(answer)).toEqual({ status: 400, code: 'VALIDATION_ERROR', fields: ['name'] })
    }
  })
})

test('only keys that may write opportunities may create one', async () => {
  const { accountId } = await makeTenant(service)
  expect((await createClient(service.origin).post('/opportunities', { name: 'x' })).status).toBe(401)
  for (const [permission, status] of [
    ['opportunities:write', 201],
    ['opportunities:*', 201],
    ['opportunities:read', 403],
    ['contacts:write', 403],
  ] as const) {
    const { secret } = await makeKey(service.database, accountId, { permissions: [permission] })
    expect((await createClient(service.origin, secret).post('/opportunities', { name: 'x' })).status).toBe(status)
  }
})

describe('under an Idempotency-Key', () => {
  const headers = () => ({ 'Idempotency-Key': randomUUID() })

  test('happens once, however often it is sent and how many at once', async () => {
    const { client } = await makeTenant(service)
    const key = headers()
    const answers = await Promise.all(Array.from({ length: 6 }, () => client.post('/opportunities', LEAD, key)))
    answers.push(await client.post('/opportunities', LEAD, key))
    for (const { status, body } of answers) expect({ status, body }).toEqual({ status: 201, body: answers[0]!.body })
    const replays = answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true')
    expect(replays).toHaveLength(6)
    expect((await client.get('/opportunities')).body.pagination.total).toBe(1)
    expect(await contactCount(client)).toBe(1)
  })

  test('with another body is refused; after a failure it happens', async () => {
    const { client } = await makeTenant(service)
    const key = headers()
    const failed = await client.post('/opportunities', { ...LEAD, campaign_id: randomUUID() }, key)
    expect(failed.status).toBe(400)
    await create(client, LEAD, key)
    expect((await client.post('/opportunities', { ...LEAD, score: 1 }, key)).status).toBe(422)
  })

  test('of one that was deleted since is gone', async () => {
    const { client } = await makeTenant(service)
    const key = headers()
    const { id } = await create(client, LEAD, key)
    expect((await client.delete(`/opportunities/${id}`)).status).toBe(200)
    expect(faultsOf(await client.post('/opportunities', LEAD, key))).toMatchObject({ status: 410 })
  })
})

const RULE = `mutation ($input: RoundRobinRuleInput!) { setRoundRobinRule(input: $input) { id } }`
async function setRule(client: Client, input: { userIds: string[]; isActive?: boolean; target?: object }) {
  expect((await client.graphql(RULE, { input })).body.errors).toBeUndefined()
}

describe('the owner', () => {
  /** An account with a rule for everything that can have one, each with a user of its own. */
  async function ruled() {
    const tenant = await makeTenant(service)
    const { accountId } = tenant
    const { database } = service
    const [sector, campaignSector] = [await makeSector(database, accountId), await makeSector(database, accountId)]
    const pipeline = await makePipeline(database, accountId)
    const users: Record<string, string> = {}
    for (const name of ['sector', 'campaignSector', 'pipeline', 'account', 'responsible']) {
      users[name] = (await makeUser(database, accountId, { name })).id
    }
    const campaign = await makeCampaign(database, accountId, {
      sectorId: campaignSector.id,
      defaultResponsibleId: users.responsible,
    })
    const targets: Record<string, object> = {
      sector: { sectorId: sector.id },
      campaignSector: { sectorId: campaignSector.id },
      pipeline: { pipelineId: pipeline.id },
      account: {},
    }
    const set = (name: string, isActive: boolean) =>
      setRule(tenant.client, { target: targets[name], userIds: [users[name]!], isActive })
    for (const name of Object.keys(targets)) await set(name, true)
    const body = { name: 'x', sector_id: sector.id, campaign_id: campaign.id, pipeline_id: pipeline.id }
    const ownerOf = async (more: object = {}) => (await create(tenant.client, { ...body, ...more })).owner_user_name
    return { ...tenant, users, set, ownerOf, campaign }
  }

  test('comes from the nearest rule that is on, then from the campaign, then from nowhere', async () => {
    const { client, users, set, ownerOf } = await ruled()
    const explicit = { owner_user_id: users.responsible }
    for (const name of ['sector', 'campaignSector', 'pipeline', 'account']) {
      expect(await ownerOf()).toBe(name)
      expect(await ownerOf(explicit)).toBe('responsible')
      await set(name, false)
    }
    expect(await ownerOf()).toBe('responsible')
    expect(await ownerOf({ campaign_id: null })).toBeNull()
    expect((await create(client, { name: 'x' })).owner_user_id).toBeNull()
  })

  test('comes from the rule of what the opportunity belongs to, and no other', async () => {
    const { ownerOf } = await ruled()
    expect(await ownerOf({ sector_id: null })).toBe('campaignSector')
    expect(await ownerOf({ sector_id: null, campaign_id: null })).toBe('pipeline')
    expect(await ownerOf({ sector_id: null, campaign_id: null, pipeline_id: null })).toBe('account')
  })

  test('is not a responsible who is not active, or was deleted', async () => {
    for (const gone of [{ isActive: false }, { deletedAt: new Date() }]) {
      const { accountId, client } = await makeTenant(service)
      const user = await makeUser(service.database, accountId, gone)
      const campaign = await makeCampaign(service.database, accountId, { defaultResponsibleId: user.id })
      expect((await create(client, { name: 'x', campaign_id: campaign.id })).owner_user_id).toBeNull()
    }
  })

  test('of sixty that arrive at once is each of three members twenty times', async () => {
    const { accountId, client } = await makeTenant(service)
    const users: string[] = []
    for (let i = 0; i < 3; i++) users.push((await makeUser(service.database, accountId)).id)
    await setRule(client, { userIds: users })
    const created = await Promise.all(Array.from({ length: 60 }, (_, i) => create(client, { name: `Lead ${i}` })))
    const counts = users.map((id) => created.filter(({ owner_user_id }) => owner_user_id === id).length)
    expect(counts).toEqual([20, 20, 20])
  })

  test('loses no turn to what fails, is repeated or names an owner', async () => {
    const { accountId, client } = await makeTenant(service)
    const [a, b] = [await makeUser(service.database, accountId), await makeUser(service.database, accountId)]
    await setRule(client, { userIds: [a.id, b.id] })
    const key = { 'Idempotency-Key': randomUUID() }
    expect((await create(client, { name: 'x' }, key)).owner_user_id).toBe(a.id)
    expect((await create(client, { name: 'x' }, key)).owner_user_id).toBe(a.id)
    expect((await client.post('/opportunities', { name: 'x', sector_id: randomUUID() })).status).toBe(400)
    expect((await create(client, { name: 'x', owner_user_id: a.id })).owner_user_id).toBe(a.id)
    expect((await create(client, { name: 'x' })).owner_user_id).toBe(b.id)
    expect((await create(client, { name: 'x' })).owner_user_id).toBe(a.id)
  })
})
