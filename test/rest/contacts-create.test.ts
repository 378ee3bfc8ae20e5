import { startTestApp, type TestApp } from '../support/app.js'
import { makeTag, makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

test('creates a contact and returns it whole, with its tags', async () => {
  const { accountId, client } = await makeTenant(service)
  const tag = await makeTag(service.database, accountId, { name: 'Hot' })
  const sent = {
    name: 'Zoë Ferreira',
    email: 'zoe@example.com',
    phone: '+55 11 99999-0000',
    company: 'Acme',
    title: 'Buyer',
    location: 'Lisboa',
    linkedin_profile_url: 'https://www.linkedin.com/in/zoe',
    source: 'form',
    tags: [tag.id],
    custom_fields: { segment: 'A', deep: { list: [1, 'two', null] } },
  }
  const { status, body } = await client.post('/contacts', sent)
  expect(status).toBe(201)
  expect(body).toEqual({
    success: true,
    data: {
      ...sent,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      phone: '+5511999990000',
      source_channel: null,
      last_interaction: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: body.data.created_at,
      tags: [{ id: tag.id, name: 'Hot', color: tag.color }],
    },
  })
  const read = await client.get(`/contacts/${body.data.id}`)
  expect(read.body.data).toEqual({ ...body.data, notes: [], attribution: null })
})
