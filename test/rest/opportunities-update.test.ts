import { randomUUID } from 'node:crypto'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Answer, createClient } from '../support/client.js'
import { dumpOf } from '../support/dump.js'
import { makeCampaign } from '../support/factories/campaigns.js'
import { makeOpportunity } from '../support/factories/opportunities.js'
import { makePipeline } from '../support/factories/pipelines.js'
import { makeSector } from '../support/factories/reference.js'
import { makeUser } from '../support/factories/users.js'
import { makeContact, makeKey, makeTag, makeTenant } from '../support/factories.js'
import { expectMoved, faultsOf, makeSubject, type Shown, type Subject, timeOf } from '../support/opportunities.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const CONTACT = {
  name: 'Zoë Ferreira',
  email: 'Zoe@X.test',
  phone: '+5511999990000',
  company: 'Acme',
  title: 'Buyer',
  location: 'Lisboa',
  linkedinProfileUrl: 'https://www.linkedin.com/in/zoe',
  headline: 'Buys.',
  profilePicture: 'https://example.com/zoe.png',
}
const rich = () => makeSubject(service, { notes: 'Met.', score: 5, contact: CONTACT })

/** The opportunity with what the list and the contact show beside it. */
async function wholeOf({ client, id, read }: Subject): Promise<Shown> {
  const listed = (await client.get('/opportunities?limit=100')).body.data.find((one: Shown) => one.id === id)
  const asked = 'query ($id: ID!) { opportunity(id: $id) { contact { headline name } } }'
  const { contact } = (await client.graphql(asked, { id })).body.data.opportunity
  const { updated_at, ...shown } = { ...listed, ...(await read()) }
  return { ...shown, headline: contact?.headline, 'name of the contact': contact?.name }
}

/** The change answers with the opportunity as the next read shows it, which is as before but for these. */
async function expectOnly(subject: Subject, body: object, changed: Shown): Promise<void> {
  const before = await wholeOf(subject)
  const answer = await subject.put(body)
  expect({ status: answer.status, error: answer.body.error }).toEqual({ status: 200, error: undefined })
  expect(await wholeOf(subject)).toEqual({ ...before, ...changed })
  expect(await subject.read()).toMatchObject(answer.body.data)
}

describe('changes what is given and nothing else', () => {
  const name = { title: 'Eva', contact_name: 'Eva', 'name of the contact': 'Eva' }
  test.each<[object, Shown]>([
    [{ name: ' Eva ' }, name],
    [{ title: 'Seller' }, { contact_title: 'Seller' }],
    [{ company: 'Umbrella' }, { contact_company: 'Umbrella' }],
    [{ location: 'Porto' }, { contact_location: 'Porto' }],
    [{ headline: 'Sells.' }, { headline: 'Sells.' }],
    [{ profile_url: 'https://x.test/eva' }, { contact_profile_url: 'https://x.test/eva' }],
    [{ profile_picture: 'https://x.test/eva.png' }, { contact_profile_picture: 'https://x.test/eva.png' }],
    [{ email: 'eva@x.test' }, { contact_email: 'eva@x.test' }],
    [{ email: 'zoe@x.test' }, { contact_email: 'zoe@x.test' }],
    [{ phone: '(11) 98765-4321' }, { contact_phone: '+5511987654321' }],
    [{ score: 12.5 }, { score: 13 }],
    [{ notes: 'a\r\nb' }, { notes: 'a\nb' }],
  ])('%j', async (body, changed) => {
    await expectOnly(await rich(), body, changed)
  })

  test('all of it at once', async () => {
    const subject = await rich()
    const owner = await makeUser(service.database, subject.accountId, { name: 'Bia' })
    const body = {
      ...{ name: 'Eva', title: 'Seller', company: 'Umbrella', location: 'Porto', email: 'eva@x.test' },
      ...{
        score: 1,
        notes: 'x',
        owner_user_id: owner.id,
        pipeline_id: subject.pipelineId,
        stage_id: subject.stages.won,
      },
    }
    const { status, body: answered } = await subject.put(body)
    expect(status).toBe(200)
    expect(answered).toMatchObject({
      success: true,
      data: {
        id: subject.id,
        title: 'Eva',
        score: 1,
        source: 'other',
        notes: 'x',
        pipeline_id: subject.pipelineId,
        stage_id: subject.stages.won,
        campaign_id: null,
        owner_user_id: owner.id,
        contact_id: expect.any(String),
        contact_name: 'Eva',
        contact_email: 'eva@x.test',
        contact_phone: '+5511999990000',
        contact_company: 'Umbrella',
        contact_title: 'Seller',
        campaign_name: null,
        owner_user_name: 'Bia',
        owner_user_email: owner.email,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    })
    expect(answered).toEqual({ success: true, data: await subject.read() })
    expect(await subject.read()).toMatchObject({ ...answered.data, stage_name: 'won', won_at: expect.any(String) })
  })

  const emptied: Record<string, string> = {
    ...{ title: 'contact_title', company: 'contact_company', location: 'contact_location', headline: 'headline' },
    ...{ profile_url: 'contact_profile_url', profile_picture: 'contact_profile_picture', email: 'contact_email' },
    ...{ phone: 'contact_phone', notes: 'notes' },
  }
  test.each(Object.entries(emptied))('%s is emptied by null and by nothing but white space', async (field, shown) => {
    for (const empty of [null, ' \n']) await expectOnly(await rich(), { [field]: empty }, { [shown]: null })
  })

  test('the owner, who may be none', async () => {
    const subject = await rich()
    const owner = await makeUser(service.database, subject.accountId, { name: 'Bia' })
    const shown = { owner_user_id: owner.id, owner_user_name: 'Bia', owner_user_email: owner.email }
    await expectOnly(subject, { owner_user_id: owner.id }, shown)
    const none = { owner_user_id: null, owner_user_name: null, owner_user_email: null }
    await expectOnly(subject, { owner_user_id: '' }, none)
    await expectOnly(subject, { owner_user_id: owner.id.toUpperCase() }, shown)
    await expectOnly(subject, { owner_user_id: null }, none)
    await expectOnly(subject, { score: null }, { score: 0 })
  })

  test('other opportunities of the contact show what has become of it, and keep their titles', async () => {
    const subject = await rich()
    const contact = await makeContact(service.database, subject.accountId, { name: 'Ana' })
    const [one, other] = [
      await makeOpportunity(service.database, subject.accountId, { title: 'One', contact }),
      await makeOpportunity(service.database, subject.accountId, { title: 'Other', contact }),
    ]
    expect((await subject.client.put(`/opportunities/${one.id}`, { name: 'Eva', company: 'Co' })).status).toBe(200)
    const { data } = (await subject.client.get(`/opportunities/${other.id}`)).body
    expect(data).toMatchObject({ title: 'Other', contact_name: 'Eva', contact_company: 'Co' })
    expect(timeOf(data.updated_at)).toBeGreaterThan(timeOf(data.created_at))
  })

  test('with what it has already, it leaves no trace', async () => {
    const subject = await rich()
    const owner = await makeUser(service.database, subject.accountId)
    await subject.put({ owner_user_id: owner.id })
    const before = await dumpOf(service.database, subject.accountId)
    const { name, email, phone, company, title, location, headline } = CONTACT
    const same = {
      ...{ name, email, phone, company, title, location, headline },
      ...{ profile_url: CONTACT.linkedinProfileUrl, profile_picture: CONTACT.profilePicture },
      ...{ score: 5.2, notes: ' Met. ', owner_user_id: owner.id, stage_id: subject.stages.start },
    }
    await subject.put({ name })
    const renamed = await dumpOf(service.database, subject.accountId)
    expect(renamed).not.toEqual(before) // the title had been another
    const answer = await subject.put({ ...same, pipeline_id: subject.pipelineId })
    expect(answer.status).toBe(200)
    expect(await dumpOf(service.database, subject.accountId)).toEqual(renamed)
  })
})

describe('the stage', () => {
  test('of another pipeline comes with it; a pipeline alone means its first stage', async () => {
    const subject = await rich()
    const { stages, id } = await makePipeline(service.database, subject.accountId, { name: 'Two', stages: ['A', 'B'] })
    expect((await subject.put({ stage_id: stages[1]!.id })).body.data).toMatchObject({ pipeline_id: id })
    expect((await subject.put({ pipeline_id: subject.pipelineId })).body.data).toMatchObject({
      stage_id: subject.stages.start,
    })
    expect((await subject.put({ pipeline_id: id })).body.data).toMatchObject({ stage_id: stages[0]!.id })
    const steps = (await subject.history()).map(({ from_stage_name, to_stage_name }) => [
      from_stage_name,
      to_stage_name,
    ])
    expect(steps).toEqual([
      ['start', 'B'],
      ['B', 'start'],
      ['start', 'A'],
    ])
  })

  test('is moved to as by PATCH, with its timestamps and history', async () => {
    const subject = await rich()
    await subject.put({ stage_id: subject.stages.lost })
    expect(await subject.read()).toMatchObject({ lost_at: expect.any(String), won_at: null, stage_name: 'lost' })
    await subject.put({ stage_id: subject.stages.won })
    expect(await subject.read()).toMatchObject({ lost_at: null, won_at: expect.any(String) })
    expect(await subject.history()).toHaveLength(2)
  })
})

describe('what is refused changes nothing', () => {
  async function expectRefused(subject: Subject, body: unknown, refusal: object): Promise<Answer> {
    const before = await dumpOf(service.database, subject.accountId)
    const answer = await subject.put(body)
    expect(faultsOf(answer)).toMatchObject(refusal)
    expect(await dumpOf(service.database, subject.accountId)).toEqual(before)
    return answer
  }

  test('a change of no field', async () => {
    const subject = await rich()
    for (const body of [{}, { unknown: 1 }, { value: 5 }, { source: 'list' }, { contact_id: randomUUID() }]) {
      const { body: answered } = await expectRefused(subject, body, { status: 400, code: 'VALIDATION_ERROR' })
      const names = answered.warnings?.map(({ field }: { field: string }) => field) ?? []
      expect(names).toEqual(Object.keys(body))
    }
  })

  test('a name, pipeline or stage that is to be empty', async () => {
    for (const name of ['name', 'pipeline_id', 'stage_id']) {
      for (const empty of [null, '', ' ']) {
        await expectRefused(await rich(), { [name]: empty, notes: 'x' }, { status: 400, fields: [name] })
      }
    }
  })

  test('ids of nobody, of another account, of what is not active or was deleted, all by their names', async () => {
    const subject = await rich()
    const { database } = service
    const { accountId } = await makeTenant(service)
    const pipeline = await makePipeline(database, accountId)
    const theirs = {
      owner_user_id: (await makeUser(database, accountId)).id,
      pipeline_id: pipeline.id,
      stage_id: pipeline.stages[0]!.id,
    }
    const fields = Object.keys(theirs).sort()
    await expectRefused(subject, { ...theirs, name: 'Eva' }, { status: 400, fields })
    for (const [name, id] of Object.entries(theirs)) {
      for (const wrong of [id, randomUUID(), 'none', '1']) {
        await expectRefused(subject, { [name]: wrong, name: 'Eva' }, { status: 400, fields: [name] })
      }
    }
    for (const gone of [{ isActive: false }, { deletedAt: new Date() }]) {
      const { id } = await makeUser(database, subject.accountId, gone)
      await expectRefused(subject, { owner_user_id: id, name: 'Eva' }, { status: 400, fields: ['owner_user_id'] })
    }
    const other = await makePipeline(database, subject.accountId)
    const apart = { pipeline_id: other.id, stage_id: subject.stages.won }
    await expectRefused(subject, { ...apart, name: 'Eva' }, { status: 400, fields: ['stage_id'] })
  })

  test('values that are too long, of another type or out of bounds, all at once', async () => {
    const wrong = {
      name: 'x'.repeat(256),
      email: 'nobody',
      phone: '1'.repeat(41),
      score: 3e9,
      notes: 5,
      company: 'a\0',
    }
    const fields = ['company', 'email', 'name', 'notes', 'phone', 'score']
    await expectRefused(await rich(), wrong, { status: 400, fields })
    await expectRefused(await rich(), { name: 'Eva', score: 3e9 }, { status: 400, fields: ['score'] })
  })

  test('an email that another contact has, which is named', async () => {
    const subject = await rich()
    const { id } = await makeContact(service.database, subject.accountId, { email: 'Taken@x.test' })
    const body = { email: 'taken@X.test', name: 'Eva', notes: 'x', stage_id: subject.stages.won }
    const answer = await expectRefused(subject, body, { status: 409, code: 'DUPLICATE_ERROR' })
    expect(answer.body.error.details).toEqual([{ field: 'email', message: expect.any(String), existing_id: id }])
  })

  test('fields of a contact that was deleted', async () => {
    const subject = await makeSubject(service, { contact: null })
    const fields = ['company', 'email', 'headline', 'location', 'phone', 'profile_picture', 'profile_url', 'title']
    const body = Object.fromEntries(fields.map((name) => [name, name === 'email' ? 'a@x.test' : 'x']))
    await expectRefused(subject, { ...body, notes: 'x' }, { status: 400, code: 'VALIDATION_ERROR', fields })
    expect((await subject.put({ name: 'Eva', notes: 'x' })).body.data).toMatchObject({ title: 'Eva', contact_id: null })
  })

  test('an opportunity of nobody or of another account; what is wrong with the body comes first', async () => {
    const [mine, theirs] = [await rich(), await rich()]
    for (const id of [theirs.id, randomUUID(), 'nobody']) {
      const put = (body: object) => mine.client.put(`/opportunities/${id}`, body)
      expect(faultsOf(await put({ name: 'Eva' }))).toMatchObject({ status: 404, code: 'NOT_FOUND' })
      expect(faultsOf(await put({ stage_id: mine.stages.won }))).toMatchObject({ status: 404 })
      expect(faultsOf(await put({ stage_id: randomUUID() }))).toMatchObject({ status: 400, fields: ['stage_id'] })
      expect(faultsOf(await put({}))).toMatchObject({ status: 400 })
    }
    expect(await theirs.read()).toMatchObject({ title: 'Roof' })
  })
})

test('only keys that may write opportunities may change one', async () => {
  const { accountId, path } = await rich()
  expect((await createClient(service.origin).put(path, { notes: 'x' })).status).toBe(401)
  for (const [permission, status] of [
    ['opportunities:write', 200],
    ['opportunities:read', 403],
    ['contacts:write', 403],
  ] as const) {
    const { secret } = await makeKey(service.database, accountId, { permissions: [permission] })
    expect((await createClient(service.origin, secret).put(path, { notes: 'x' })).status).toBe(status)
  }
})

const contactPath = async ({ read }: Subject) => `/contacts/${(await read()).contact_id}`

describe('what counts as a change of an opportunity', () => {
  test.each([
    ['name', 'Eva'],
    ['email', 'eva@x.test'],
    ['phone', '+351912345678'],
    ['company', null],
    ['title', 'Seller'],
    ['location', 'Porto'],
    ['linkedin_profile_url', 'https://x.test/eva'],
  ])('is that the %s of its contact changes', async (field, value) => {
    const subject = await rich()
    const path = await contactPath(subject)
    await expectMoved(subject, true, () => subject.client.put(path, { [field]: value }))
  })

  test('is not what it does not show of its contact, nor a change to the same', async () => {
    const subject = await rich()
    const path = await contactPath(subject)
    const tag = await makeTag(service.database, subject.accountId)
    await expectMoved(subject, false, async () => {
      await subject.client.put(path, { custom_fields: { a: 1 }, tags: [tag.id] })
      await subject.client.put(path, { name: CONTACT.name, company: CONTACT.company })
    })
  })

  test('is not that a stage, a pipeline, its owner, its campaign, its sector or a tag is renamed', async () => {
    const subject = await rich()
    const { accountId, client, stages, pipelineId } = subject
    const { database } = service
    const owner = await makeUser(database, accountId)
    const [sector, campaign] = [await makeSector(database, accountId), await makeCampaign(database, accountId)]
    const tag = await makeTag(database, accountId)
    await client.put(await contactPath(subject), { tags: [tag.id] })
    const set = `mutation ($id: ID!, $input: UpdateOpportunityInput!) { updateOpportunity(id: $id, input: $input) { id } }`
    const of = { ownerUserId: owner.id, sectorId: sector.id, campaignId: campaign.id }
    expect((await client.graphql(set, { id: subject.id, input: of })).body.errors).toBeUndefined()
    await expectMoved(subject, false, async () => {
      for (const [kind, id] of [
        ['Stage', stages.start],
        ['Pipeline', pipelineId],
        ['User', owner.id],
        ['Sector', sector.id],
        ['Campaign', campaign.id],
        ['Tag', tag.id],
      ]) {
        const rename = `mutation { update${kind}(id: "${id}", input: { name: "Renamed" }) { name } }`
        expect((await client.graphql(rename)).body.data).toEqual({ [`update${kind}`]: { name: 'Renamed' } })
      }
    })
    expect(await subject.read()).toMatchObject({
      ...{ stage_name: 'Renamed', pipeline_name: 'Renamed', owner_user_name: 'Renamed' },
      ...{ campaign_name: 'Renamed', sector_name: 'Renamed' },
    })
  })
})

describe('at the same time', () => {
  test('as others, every change is kept', async () => {
    const subject = await rich()
    const changes = [
      { name: 'Eva' },
      { company: 'Umbrella' },
      { notes: 'x' },
      { score: 9 },
      { stage_id: subject.stages.sent },
      { stage_id: subject.stages.qualified },
    ]
    const answers = await Promise.all(changes.map(subject.put))
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200))
    expect(await subject.read()).toMatchObject({
      ...{ title: 'Eva', contact_name: 'Eva', contact_company: 'Umbrella', notes: 'x', score: 9 },
      ...{ sent_at: expect.any(String), qualified_at: expect.any(String) },
    })
  })

  test('as its contact is deleted, each happens before it or hears that there is none', async () => {
    const seen = new Set<number>()
    for (let round = 0; round < 12; round++) {
      const subject = await rich()
      const path = await contactPath(subject)
      const puts = [subject.put({ company: 'Co' }), subject.put({ name: 'Eva' })]
      const deleting = subject.client.delete(path)
      puts.push(subject.put({ email: 'eva@x.test' }), subject.put({ title: 'Seller' }))
      expect((await deleting).status).toBe(200)
      for (const answer of await Promise.all(puts)) {
        seen.add(answer.status)
        if (answer.status !== 200) expect(faultsOf(answer)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
      }
      expect(await subject.read()).toMatchObject({ contact_id: null, contact_name: null, contact_company: null })
    }
    expect(seen).toContain(400) // the race was one
  })

  test('two opportunities that ask for the same email: one gets it', async () => {
    const subject = await rich()
    const { accountId, client } = subject
    const other = await makeOpportunity(service.database, accountId)
    const answers = await Promise.all([
      subject.put({ email: 'new@x.test' }),
      client.put(`/opportunities/${other.id}`, { email: 'NEW@x.test' }),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })
})
