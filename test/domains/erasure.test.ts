import { assembly } from '../../src/assembly.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { plant, search, textsOfContacts } from '../support/erasure.js'
import { makeCampaign } from '../support/factories/campaigns.js'
import { makeAtWork, makeConversation } from '../support/factories/conversations.js'
import { makeEnrollment } from '../support/factories/flows.js'
import { makeMail, makeSuppression } from '../support/factories/mail.js'
import { makeOpportunity } from '../support/factories/opportunities.js'
import { makeUser } from '../support/factories/users.js'
import { makeContact, makeTag, makeTenant } from '../support/factories.js'
import { dataOf } from '../support/graphql.js'

// What is kept of a contact goes with it, wherever it stands: each column that can hold text, of each table that leads to
// contacts, gets a text of its own, and after the deletion the whole database is searched for them. What stays must stand
// in the manifest of its domain with the reason why it tells nothing of the person.

let service: TestApp
beforeEach(async () => {
  service = await startTestApp()
})
afterEach(() => service.stop())

/** Stands in the answer that is kept for repeats of the call that created the contact. */
const KEPT = 'zqkeptanswer'

/** The key of that call. Callers make them of anything. */
const KEY = 'zqfirst-ana@example.com'

/** An account with one contact that has something in every table that leads to contacts. */
async function contactWithEverything() {
  const { database } = service
  const { client, accountId } = await makeTenant(service)
  const tag = await makeTag(database, accountId)
  const body = { name: 'Ana', email: 'ana@example.com', title: KEPT, tags: [tag.id] }
  const { status, body: answer } = await client.post('/contacts', body, { 'Idempotency-Key': KEY })
  expect(status).toBe(201)
  const contactId: string = answer.data.id
  const note = 'mutation ($id: ID!) { done: addContactNote(contactId: $id, input: {note: "Called"}) { id } }'
  dataOf(await client.graphql(note, { id: contactId }))
  const touch = 'mutation ($id: ID!) { done: recordContactTouch(contactId: $id, input: {channel: "ads"}) { id } }'
  dataOf(await client.graphql(touch, { id: contactId }))
  await makeCampaign(database, accountId, { contactIds: [contactId] })
  const parts = { products: [{}], comments: ['Wants a visit'], history: [{ notes: 'Told so' }] }
  const contact = { id: contactId }
  const { id: ownerUserId } = await makeUser(database, accountId)
  const { id: opportunityId } = await makeOpportunity(database, accountId, { contact, ownerUserId, ...parts })
  await database.pool.query(
    `insert into opportunity_action (id, account_id, opportunity_id, name, input)
     values (gen_random_uuid(), $1, $2, 'email', '{}')`,
    [accountId, opportunityId],
  )
  const talk = await makeConversation(database, accountId, { contactId, opportunityId, messages: [{}, {}] })
  await makeAtWork(database, accountId, { contactId, conversationId: talk.id })
  await makeConversation(database, accountId, { opportunityId, isGroup: true, messages: [{}] })
  await makeMail(database, accountId, { contactId })
  await makeEnrollment(database, accountId, { contactId })
  await makeSuppression(database, accountId, contactId)
  return { client, accountId, contactId }
}

/** What stays of everything planted when the contact is deleted; `keep` is called before. */
async function survivors(keep: (made: { accountId: string; contactId: string }) => Promise<void> = async () => {}) {
  const { client, accountId, contactId } = await contactWithEverything()
  await keep({ accountId, contactId })
  const columns = [...(await textsOfContacts(service.database)).values()].flat()
  const planted = await plant(service.database, accountId, columns)
  const everything = [...planted, { place: 'idempotency_record.body', text: KEPT }]
  expect(await search(service.database, everything)).toEqual(everything.map(({ place }) => place).sort())
  expect((await client.call('DELETE', `/contacts/${contactId}`)).status).toBe(200)
  return search(service.database, everything)
}

const declared = () =>
  assembly.domains
    .flatMap(({ notPersonal }) => Object.entries(notPersonal))
    .flatMap(([table, columns]) => Object.keys(columns).map((column) => `${table}.${column}`))
    .sort()

test('nothing stays of a contact that was deleted but what is declared to tell nothing of it', async () => {
  expect(await survivors()).toEqual(declared())
})

test('a key is nowhere kept as it was sent, and a repeat of the call is known by it', async () => {
  const { client } = await makeTenant(service)
  const headers = { 'Idempotency-Key': KEY }
  const first = await client.post('/contacts', { name: 'Ana' }, headers)
  expect(await search(service.database, [{ place: 'idempotency_record.key', text: KEY }])).toEqual([])
  const repeat = await client.post('/contacts', { name: 'Ana' }, headers)
  expect(repeat.body).toEqual(first.body)
  expect(repeat.headers.get('Idempotent-Replayed')).toBe('true')
})

test('a conversation with somebody else about an opportunity of the contact stays as it is', async () => {
  const { database } = service
  const { client, accountId } = await makeTenant(service)
  const [ana, bea] = [await makeContact(database, accountId), await makeContact(database, accountId)]
  const { id: opportunityId } = await makeOpportunity(database, accountId, { contact: ana })
  const { id } = await makeConversation(database, accountId, { contactId: bea.id, opportunityId, messages: [{}] })
  const before = (await client.get(`/conversations/${id}`)).body.data.messages
  expect((await client.call('DELETE', `/contacts/${ana.id}`)).status).toBe(200)
  const after = (await client.get(`/conversations/${id}`)).body.data
  expect(after).toMatchObject({ contact_id: bea.id, messages: before })
})

test('a table that nobody erases is found, however far from the contact it is', async () => {
  const { pool } = service.database
  await pool.query(`create table planted_topic (id uuid primary key default gen_random_uuid(), account_id uuid,
      conversation_id uuid references conversation, summary text);
    create table planted_quote (account_id uuid, topic_id uuid references planted_topic, quoted jsonb)`)
  const found = await survivors(async ({ accountId }) => {
    await pool.query(
      `with topic as (insert into planted_topic (account_id, conversation_id)
         select account_id, id from conversation where account_id = $1 returning *)
       insert into planted_quote (account_id, topic_id) select account_id, id from topic`,
      [accountId],
    )
  })
  expect(found).toEqual([...declared(), 'planted_quote.quoted', 'planted_topic.summary'].sort())
})

test('whatever names a contact refers to it, so that it is found', async () => {
  const { rows } = await service.database.pool.query(
    `select a.attrelid::regclass::text as "table" from pg_attribute a join pg_class t on t.oid = a.attrelid
     where a.attname = 'contact_id' and t.relkind = 'r' and t.relnamespace = 'public'::regnamespace
       and not exists (select from pg_constraint c
         where c.conrelid = a.attrelid and a.attnum = any(c.conkey) and c.confrelid = 'contact'::regclass)`,
  )
  expect(rows).toEqual([])
})
