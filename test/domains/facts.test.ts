import { type Fact, Scope } from '../../src/database/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeCampaign } from '../support/factories/campaigns.js'
import { makeDiscardReason } from '../support/factories/reference.js'
import { makeUser } from '../support/factories/users.js'
import { makeContact, makeTag, makeTenant } from '../support/factories.js'
import { dataOf } from '../support/graphql.js'
import { makeSubject } from '../support/opportunities.js'

// What the domains announce, whoever may listen.

let service: TestApp
const heard: [string, Record<string, unknown>][] = []
const announce = Scope.prototype.announce
beforeAll(async () => {
  Scope.prototype.announce = function (fact, ids) {
    if (fact.name !== 'recordChanged') heard.push([fact.name, ids]) // that one is the audit's, see its test
    return announce.call(this, fact as unknown as Fact, ids)
  }
  service = await startTestApp()
})
afterAll(async () => {
  Scope.prototype.announce = announce
  await service.stop()
})

/** The facts that the work announces. */
async function factsOf(work: () => Promise<unknown>) {
  heard.length = 0
  await work()
  return heard.splice(0)
}

test('of accounts and users', async () => {
  let accountId = ''
  const created = await factsOf(async () => {
    accountId = (await makeTenant(service)).accountId
  })
  expect(created).toEqual([['accountCreated', { accountId }]])
  const { client, accountId: another } = await makeTenant(service)
  const { id } = await makeUser(service.database, another)
  const remove = () => client.graphql('mutation ($id: ID!) { done: deleteUser(id: $id) { id } }', { id })
  expect(await factsOf(async () => dataOf(await remove()))).toEqual([['userRemoved', { userId: id }]])
  expect(await factsOf(remove)).toEqual([])
})

test('of contacts: their creation, changes that change something, and their deletion', async () => {
  const { client, accountId, database } = { ...(await makeTenant(service)), database: service.database }
  let contactId = ''
  const created = await factsOf(async () => {
    contactId = (await client.post('/contacts', { name: 'Ana', email: 'ana@example.com' })).body.data.id
  })
  expect(created).toEqual([['contactCreated', { contactId }]])
  const changed = [['contactChanged', { contactId }]]
  const tag = await makeTag(database, accountId)
  const put = (body: object) => () => client.put(`/contacts/${contactId}`, body)
  expect(await factsOf(put({ title: 'Buyer' }))).toEqual(changed)
  expect(await factsOf(put({ title: 'Buyer' }))).toEqual([])
  expect(await factsOf(put({}))).toEqual([])
  expect(await factsOf(put({ tags: [tag.id] }))).toEqual(changed)
  expect(await factsOf(put({ tags: [tag.id] }))).toEqual([])
  expect(await factsOf(put({ tags: [] }))).toEqual(changed)
  const note =
    'mutation ($id: ID!, $note: String!) { done: addContactNote(contactId: $id, input: {note: $note}) { id } }'
  expect(await factsOf(async () => dataOf(await client.graphql(note, { id: contactId, note: 'Hello' })))).toEqual(
    changed,
  )
  const remove = () => client.call('DELETE', `/contacts/${contactId}`)
  expect(await factsOf(remove)).toEqual([
    ['contactDeleted', { contactId }],
    ['contactUnlinked', { contactId }],
  ])
  expect(await factsOf(remove)).toEqual([])
})

test('of contacts that come into a campaign', async () => {
  const { client, accountId } = await makeTenant(service)
  const { id: campaignId } = await makeCampaign(service.database, accountId)
  const { id: contactId } = await makeContact(service.database, accountId, { email: 'bia@example.com' })
  const person = { linkedin_profile_url: 'https://www.linkedin.com/in/bia', name: 'Bia', email: 'bia@example.com' }
  const facts = await factsOf(async () => {
    const { status } = await client.post(`/campaigns/${campaignId}/contacts`, person)
    expect(status).toBe(201)
  })
  expect(new Set(facts.map(([name, ids]) => `${name} ${ids.contactId}`))).toEqual(
    new Set([`contactChanged ${contactId}`]),
  )
})

test('of tags', async () => {
  const { client, accountId } = await makeTenant(service)
  const { id } = await makeTag(service.database, accountId)
  const remove = () => client.graphql('mutation ($id: ID!) { done: deleteTag(id: $id) { id } }', { id })
  expect(await factsOf(remove)).toEqual([['tagDeleted', { tagId: id }]])
  expect(await factsOf(remove)).toEqual([])
})

test('of opportunities: creation, moves, decisions and deletion', async () => {
  const { client, stages, pipelineId, id, put, move, accountId } = await makeSubject(service)
  let opportunityId = ''
  const create = (stage_id: string) => async () => {
    const body = { name: 'Ana', email: 'ana@example.com', pipeline_id: pipelineId, stage_id }
    opportunityId = (await client.post('/opportunities', body)).body.data.id
  }
  const made = await factsOf(create(stages.start))
  expect(made.map(([name]) => name)).toEqual(['contactCreated', 'opportunityCreated'])
  expect(made[1]![1]).toEqual({ opportunityId })
  const won = await factsOf(create(stages.won))
  expect(won).toEqual([
    ['opportunityCreated', { opportunityId }],
    ['opportunityClosed', { opportunityId, outcome: 'won' }],
  ])

  const moved = (from: string, to: string) => [
    'opportunityMoved',
    { opportunityId: id, fromStageId: from, toStageId: to },
  ]
  const closed = (outcome: string) => ['opportunityClosed', { opportunityId: id, outcome }]
  expect(await factsOf(() => move({ stage_id: stages.sent }))).toEqual([moved(stages.start, stages.sent)])
  expect(await factsOf(() => move({ stage_id: stages.sent }))).toEqual([])
  expect(await factsOf(() => put({ stage_id: stages.lost }))).toEqual([moved(stages.sent, stages.lost), closed('lost')])

  const { id: reasonId } = await makeDiscardReason(service.database, accountId)
  const discard =
    'mutation ($id: ID!, $reasonId: ID!) { done: discardOpportunity(id: $id, discardReasonId: $reasonId) { id } }'
  const discarding = async () => dataOf(await client.graphql(discard, { id, reasonId }))
  expect(await factsOf(discarding)).toEqual([closed('discarded')])
  expect(await factsOf(discarding)).toEqual([])

  const remove = () => client.call('DELETE', `/opportunities/${id}`)
  expect(await factsOf(remove)).toEqual([['opportunityDeleted', { opportunityId: id }]])
  expect(await factsOf(remove)).toEqual([])
})
