import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer } from '../support/client.js'
import { makeCampaign } from '../support/factories/campaigns.js'
import { makeUser } from '../support/factories/users.js'
import { makeContact, makeTenant } from '../support/factories.js'

// What programs that collect leads send: extensions of browsers, automations, forms.

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const warned = ({ body }: Answer) => (body.warnings ?? []).map(({ field }: { field: string }) => field)

async function makeSubject() {
  const tenant = await makeTenant(service)
  const { id } = await makeCampaign(service.database, tenant.accountId, { name: 'Spring' })
  const add = (body: object, headers: Record<string, string> = {}) =>
    tenant.client.post(`/campaigns/${id}/contacts`, body, headers)
  const read = async (contactId: string) => {
    const query = `{ contact(id: "${contactId}") { email phone extractedContacts { emails phones websites } } }`
    return (await tenant.client.graphql(query)).body.data.contact
  }
  return { ...tenant, add, read }
}

describe('a LinkedIn profile', () => {
  test.each([
    'http://linkedin.com/in/jo%C3%A3o-silva/',
    'https://www.linkedin.com/in/João-Silva?locale=pt_BR&trk=x#top',
    'https://br.linkedin.com/in/jo%c3%a3o-silva/pt-br',
    'https://m.linkedin.com/in/joão-silva/en/',
    'LINKEDIN.COM/in/JO%C3%83O-SILVA//',
  ])('is the same however it is spelled: %s', async (url) => {
    const { accountId, add } = await makeSubject()
    const { id } = await makeContact(service.database, accountId, {
      linkedinProfileUrl: 'https://www.linkedin.com/in/joão-silva',
    })
    const { status, body } = await add({ name: 'João', linkedin_profile_url: url })
    expect([status, body.data.contact.id]).toEqual([201, id])
  })

  test.each([
    'https://www.linkedin.com/in/joão-silva2',
    'https://www.linkedin.com/company/joão-silva',
    'https://www.linkedin.com/in/joão-silva/details',
    'https://example.com/in/joão-silva',
    'https://www.linkedin.com/in/jo%E3o-silva',
  ])('is another: %s', async (url) => {
    const { accountId, add } = await makeSubject()
    const { id } = await makeContact(service.database, accountId, {
      linkedinProfileUrl: 'https://www.linkedin.com/in/joão-silva',
    })
    const { status, body } = await add({ name: 'João', linkedin_profile_url: url })
    expect([status, body.data.contact.id === id]).toEqual([201, false])
  })
})

describe('two people with one mailbox', () => {
  const FIRST = { name: 'Ana', linkedin_profile_url: 'https://linkedin.com/in/ana', email: 'sales@example.com' }
  const SECOND = { name: 'Bia', linkedin_profile_url: 'https://linkedin.com/in/bia', email: 'Sales@example.com' }

  test('stay two: the second keeps the address among what was found, with a warning', async () => {
    const { add, read } = await makeSubject()
    const first = await add(FIRST)
    const second = await add({ ...SECOND, extracted_contacts: { emails: ['bia@example.com', 'sales@example.com'] } })
    expect([first.status, second.status, warned(second)]).toEqual([201, 201, ['email']])
    expect(second.body.data.contact).toMatchObject({ name: 'Bia' })
    expect((await read(first.body.data.contact.id)).email).toBe('sales@example.com')
    expect(await read(second.body.data.contact.id)).toMatchObject({
      email: null,
      extractedContacts: { emails: ['Sales@example.com', 'bia@example.com'] },
    })
    expect((await add(SECOND)).status).toBe(409) // recognised by the profile now
  })

  test('are one where either has no profile of its own', async () => {
    const { accountId, add } = await makeSubject()
    const { id } = await makeContact(service.database, accountId, { email: 'sales@example.com' })
    const { body } = await add(SECOND)
    expect([body.data.contact.id, warned({ body } as Answer)]).toEqual([id, []])
  })

  test('are refused for a strict caller, and nothing is stored', async () => {
    const { client, add } = await makeSubject()
    await add(FIRST)
    const strict = await add(SECOND, { Prefer: 'handling=strict' })
    expect([strict.status, strict.body.error.details[0].field]).toEqual([400, 'email'])
    expect((await client.get('/contacts')).body.pagination.total).toBe(1)
  })
})

describe('what was found in a profile', () => {
  test('loses what is wrong in it, with a warning, and never the person', async () => {
    const { add, read } = await makeSubject()
    const answer = await add({
      name: 'Ana',
      linkedin_profile_url: 'https://linkedin.com/in/ana',
      extracted_contacts: {
        emails: ['x'.repeat(321), 'ana@example.com', 5, null, 'a\u0000b'],
        phones: ['n/a', '+55 11 98765-4321', 'x'.repeat(41)],
        websites: ['https://example.com', { a: 1 }],
      },
    })
    expect(answer.status).toBe(201)
    const messages = answer.body.warnings.map(({ field, message }: Record<string, string>) => `${field} ${message}`)
    expect(messages.toSorted()).toEqual([
      'extracted_contacts.emails item 1 must have at most 320 characters and was left out',
      'extracted_contacts.emails item 3 must be a text and was left out',
      'extracted_contacts.emails item 4 must not be null and was left out',
      'extracted_contacts.emails item 5 must not contain a NUL character and was left out',
      'extracted_contacts.phones item 3 must have at most 40 characters and was left out',
      'extracted_contacts.websites item 2 must be a text and was left out',
    ])
    expect(await read(answer.body.data.contact.id)).toEqual({
      email: 'ana@example.com',
      phone: '+5511987654321',
      extractedContacts: {
        emails: ['ana@example.com'],
        phones: ['n/a', '+55 11 98765-4321'],
        websites: ['https://example.com'],
      },
    })
  })

  test('serves where the phone that was sent is none', async () => {
    const { add, read } = await makeSubject()
    const { body } = await add({
      name: 'Ana',
      linkedin_profile_url: 'https://linkedin.com/in/ana',
      phone: 'n/a',
      extracted_contacts: { phones: ['+5511987654321'] },
    })
    expect((await read(body.data.contact.id)).phone).toBe('+5511987654321')
  })
})

describe('an Instagram profile', () => {
  async function makeAgent(totalLimit: number | null) {
    const { client } = await makeTenant(service)
    const mutation = `mutation ($input: CreateInstagramAgentInput!) { createInstagramAgent(input: $input) { id } }`
    const { body } = await client.graphql(mutation, { input: { name: 'Agent', totalLimit } })
    const { id } = body.data.createInstagramAgent
    return (username: string) => client.post(`/instagram-agents/${id}/profiles`, { username })
  }

  test.each([
    'https://www.instagram.com/Ana.Souza/?hl=pt',
    'instagram.com/ana.souza',
    'http://m.instagram.com/_u/ana.souza#x',
    '@Ana.Souza',
  ])('is named by its address too: %s', async (username) => {
    const add = await makeAgent(null)
    const { status, body } = await add(username)
    expect([status, body.data?.profile.username]).toEqual([201, 'ana.souza'])
  })

  test('that a full agent has already is a duplicate', async () => {
    const add = await makeAgent(1)
    expect((await add('one')).status).toBe(201)
    expect((await add('ONE')).body.error.code).toBe('DUPLICATE_ERROR')
    expect((await add('two')).body.error.code).toBe('LIMIT_REACHED')
  })
})

describe('an opportunity that is sent back as it was read', () => {
  async function makeOpportunity() {
    const { accountId, client } = await makeTenant(service)
    const owner = await makeUser(service.database, accountId)
    const stages = (await client.get('/pipelines')).body.data[0].stages as Record<string, string>[]
    const created = await client.post('/opportunities', {
      name: 'Ana',
      owner_user_id: owner.id,
      stage_id: stages[2]!.id,
    })
    const { id } = created.body.data
    return { accountId, client, owner, stages, id, path: `/opportunities/${id}` }
  }

  test('keeps an owner who is inactive by now, and its stage', async () => {
    const { client, owner, path, stages } = await makeOpportunity()
    const deactivate = `mutation { updateUser(id: "${owner.id}", input: { isActive: false }) { id } }`
    expect((await client.graphql(deactivate)).body.errors).toBeUndefined()
    const { body } = await client.get(path)
    const { owner_user_id, pipeline_id, score } = body.data
    const same = await client.put(path, { owner_user_id, pipeline_id, score })
    expect([same.status, same.body.data]).toEqual([200, body.data])
    expect(same.body.data.stage_id).toBe(stages[2]!.id)
    const another = await client.post('/opportunities', { name: 'Bia', owner_user_id })
    expect([another.status, another.body.error.details[0].field]).toEqual([400, 'owner_user_id'])
  })

  test('is answered whole, as it is read', async () => {
    const { client, path, stages } = await makeOpportunity()
    const put = await client.put(path, { score: 7 })
    expect(put.body.data).toEqual((await client.get(path)).body.data)
    const patch = await client.call('PATCH', `${path}/stage`, { body: { stage_id: stages[3]!.id } })
    expect(patch.body.data).toEqual((await client.get(path)).body.data)
    expect(Object.keys(patch.body)).toEqual(['success', 'data', 'stage_change'])
  })

  test('takes the reason of a loss also in the loss stage where it stands', async () => {
    const { accountId, client, path, stages } = await makeOpportunity()
    const stage_id = stages.find((stage) => stage.is_loss_stage)!.id
    const move = (body: object) => client.call('PATCH', `${path}/stage`, { body: { stage_id, ...body } })
    expect((await move({})).status).toBe(200)
    const { pagination } = (await client.get(`${path}/history`)).body
    expect((await move({ loss_reason: 'Too dear.' })).status).toBe(200)
    const reasonOf = async () => {
      const sql = 'select loss_reason from opportunity where account_id = $1'
      return (await service.database.pool.query(sql, [accountId])).rows[0].loss_reason
    }
    expect(await reasonOf()).toBe('Too dear.')
    await move({})
    expect([await reasonOf(), (await client.get(`${path}/history`)).body.pagination]).toEqual(['Too dear.', pagination])
  })
})
