import { randomUUID } from 'node:crypto'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer } from '../support/client.js'
import { dumpOf } from '../support/dump.js'
import { makeTag, makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const fieldsOf = ({ status, body }: Answer) => [
  status,
  (body.error.details as { field: string }[]).map(({ field }) => field).toSorted(),
]

describe('all wrong fields are told at once, whatever is wrong with them', () => {
  const none = randomUUID()

  test.each<[string, string, object, string[]]>([
    ['a missing name and an unknown campaign', 'POST', { campaign_id: none }, ['campaign_id', 'name']],
    ['a wrong type and an unknown stage', 'POST', { name: 5, stage_id: none }, ['name', 'stage_id']],
    [
      'wrong texts, a wrong choice and unknown records',
      'POST',
      { name: ' ', email: 'x', source: 'moon', score: 'much', owner_user_id: none, sector_id: none, pipeline_id: none },
      ['email', 'name', 'owner_user_id', 'pipeline_id', 'score', 'sector_id', 'source'],
    ],
    [
      'an id that is none and an unknown one',
      'POST',
      { name: 'A', stage_id: 'x', campaign_id: none },
      ['campaign_id', 'stage_id'],
    ],
    [
      'a long text and an unknown owner',
      'PUT',
      { title: 'x'.repeat(256), owner_user_id: none },
      ['owner_user_id', 'title'],
    ],
    ['a wrong type and an unknown stage', 'PUT', { score: 'x', stage_id: none }, ['score', 'stage_id']],
    [
      'a reason of a wrong type and an unknown stage',
      'PATCH',
      { stage_id: none, loss_reason: 5 },
      ['loss_reason', 'stage_id'],
    ],
    ['a missing stage and an unknown reason', 'PATCH', { discard_reason_id: none }, ['discard_reason_id', 'stage_id']],
  ])('%s (%s of an opportunity)', async (_, method, body, fields) => {
    const { accountId, client } = await makeTenant(service)
    const { id } = (await client.post('/opportunities', { name: 'Ana' })).body.data
    const paths: Record<string, string> = { PUT: `/${id}`, PATCH: `/${id}/stage` }
    const before = await dumpOf(service.database, accountId)
    const headers: Record<string, string>[] = [{}, { 'Idempotency-Key': 'k' }]
    for (const given of headers) {
      const answer = await client.call(method, `/opportunities${paths[method] ?? ''}`, { body, headers: given })
      expect(fieldsOf(answer)).toEqual([400, fields])
    }
    expect(await dumpOf(service.database, accountId)).toEqual(before)
  })

  test('a contact names unknown tags beside a missing name, and is not created', async () => {
    const { accountId, client } = await makeTenant(service)
    const tag = await makeTag(service.database, accountId)
    const before = await dumpOf(service.database, accountId)
    expect(fieldsOf(await client.post('/contacts', { tags: [tag.id, none] }))).toEqual([400, ['name', 'tags']])
    expect(fieldsOf(await client.post('/contacts', { name: '', tags: [none] }))).toEqual([400, ['name', 'tags']])
    expect(fieldsOf(await client.post('/contacts', { tags: [tag.id] }))).toEqual([400, ['name']])
    const unknown = await client.post('/contacts', { tags: [none], colour: 1 }, { Prefer: 'handling=strict' })
    expect(fieldsOf(unknown)).toEqual([400, ['colour', 'name', 'tags']])
    expect(await dumpOf(service.database, accountId)).toEqual(before)
  })

  test('through /graphql too', async () => {
    const { accountId, client } = await makeTenant(service)
    const before = await dumpOf(service.database, accountId)
    const mutation = 'mutation ($input: CreateOpportunityInput!) { createOpportunity(input: $input) { id } }'
    const { body } = await client.graphql(mutation, {
      input: { name: ' ', email: 'x', campaignId: none, stageId: 'x' },
    })
    const paths = body.errors[0].extensions.details.map(({ path }: { path: string[] }) => path.join('.'))
    expect(paths.toSorted()).toEqual(['input.campaignId', 'input.email', 'input.name', 'input.stageId'])
    expect(await dumpOf(service.database, accountId)).toEqual(before)
  })

  test('a wrong input counts before what does not exist and before conflicts', async () => {
    const { client } = await makeTenant(service)
    await client.post('/contacts', { name: 'Ana', email: 'ana@example.com' })
    const tags: string[] = []
    const missing = await client.put(`/contacts/${none}`, { title: 'x'.repeat(256), tags })
    expect(fieldsOf(missing)).toEqual([400, ['title']])
    const conflict = await client.post('/contacts', { name: '', email: 'ana@example.com', tags: [none] })
    expect(fieldsOf(conflict)).toEqual([400, ['name', 'tags']])
  })
})
