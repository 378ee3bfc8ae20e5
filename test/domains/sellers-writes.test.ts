import { startTestApp, type TestApp } from '../support/app.js'
import { dumpOf } from '../support/dump.js'
import { makeOpportunity } from '../support/factories/opportunities.js'
import { makeDiscardReason } from '../support/factories/reference.js'
import { makeContact, makeTenant, type Tenant } from '../support/factories.js'
import { dataOf, failureOf, faultsOf } from '../support/graphql.js'
import { type Seller, sellersOf } from '../support/sellers.js'

let service: TestApp
const sellers = sellersOf(() => service)
let tenant: Tenant
let ana: Seller
let bia: Seller
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(async () => {
  sellers.restore()
  await service.stop()
})
beforeEach(async () => {
  tenant = await makeTenant(service)
  ana = await sellers.make(tenant.accountId, ['*'])
  bia = await sellers.make(tenant.accountId)
})

const UNKNOWN = '00000000-0000-7000-8000-000000000000'

/** An opportunity of Bia's with all that belongs to it and to its contact. */
async function deal(owner: Seller) {
  const { database } = service
  const contact = await makeContact(database, tenant.accountId, { email: 'lead@x.test', notes: ['Kept'] } as never)
  const { id } = await makeOpportunity(database, tenant.accountId, { contact, ownerUserId: owner.user.id })
  const text = (name: string, args: string) => `mutation { ${name}(${args}) { id } }`
  const admin = tenant.client
  const { id: commentId } = dataOf(
    await admin.graphql(text('addOpportunityComment', `id: "${id}", input: {content: "c"}`)),
  )
  const { id: noteId } = dataOf(
    await admin.graphql(text('addContactNote', `contactId: "${contact.id}", input: {note: "n"}`)),
  )
  const added = dataOf(
    await admin.graphql(
      `mutation { addOpportunityProduct(id: "${id}", input: {name: "P", unitPrice: 5}) { products { id } } }`,
    ),
  )
  const reason = await makeDiscardReason(database, tenant.accountId)
  const { rows } = await database.pool.query(
    'select id from stage where account_id = $1 and pipeline_id = (select pipeline_id from opportunity where id = $2) order by position desc limit 1',
    [tenant.accountId, id],
  )
  return {
    id,
    contactId: contact.id,
    commentId,
    noteId,
    lineId: added.products[0].id,
    reasonId: reason.id,
    stageId: rows[0].id,
  }
}
type Deal = Awaited<ReturnType<typeof deal>>

const writes: [name: string, args: (of: Deal) => string, fields: string, id: keyof Deal][] = [
  ['updateContact', ({ contactId }) => `id: "${contactId}", input: {name: "X"}`, '{ id }', 'contactId'],
  ['deleteContact', ({ contactId }) => `id: "${contactId}"`, '{ id }', 'contactId'],
  ['addContactNote', ({ contactId }) => `contactId: "${contactId}", input: {note: "x"}`, '{ id }', 'contactId'],
  ['updateContactNote', ({ noteId }) => `id: "${noteId}", input: {note: "n"}`, '{ id }', 'noteId'],
  ['deleteContactNote', ({ noteId }) => `id: "${noteId}"`, '{ id }', 'noteId'],
  ['recordContactTouch', ({ contactId }) => `contactId: "${contactId}", input: {channel: "x"}`, '{ id }', 'contactId'],
  ['updateOpportunity', ({ id }) => `id: "${id}", input: {notes: "x"}`, '{ id }', 'id'],
  ['updateOpportunity', ({ id }) => `id: "${id}", input: {company: "x"}`, '{ id }', 'id'],
  [
    'moveOpportunity',
    ({ id, stageId }) => `id: "${id}", input: {stageId: "${stageId}"}`,
    '{ opportunity { id } }',
    'id',
  ],
  ['discardOpportunity', ({ id, reasonId }) => `id: "${id}", discardReasonId: "${reasonId}"`, '{ id }', 'id'],
  ['restoreOpportunity', ({ id }) => `id: "${id}"`, '{ id }', 'id'],
  ['deleteOpportunity', ({ id }) => `id: "${id}"`, '{ id }', 'id'],
  ['addOpportunityComment', ({ id }) => `id: "${id}", input: {content: "x"}`, '{ id }', 'id'],
  [
    'updateOpportunityComment',
    ({ commentId }) => `commentId: "${commentId}", input: {content: "c"}`,
    '{ id }',
    'commentId',
  ],
  ['deleteOpportunityComment', ({ commentId }) => `commentId: "${commentId}"`, '{ id }', 'commentId'],
  ['addOpportunityProduct', ({ id }) => `id: "${id}", input: {name: "P", unitPrice: 1}`, '{ id }', 'id'],
  ['updateOpportunityProduct', ({ lineId }) => `lineId: "${lineId}", input: {quantity: 2}`, '{ id }', 'lineId'],
  ['removeOpportunityProduct', ({ lineId }) => `lineId: "${lineId}"`, '{ id }', 'lineId'],
]

test.each(writes)(
  "%s of what is another seller's is refused as of what is not there (%#)",
  async (name, args, fields, id) => {
    const of = await deal(bia)
    const before = await dumpOf(service.database, tenant.accountId)
    const call = (given: Deal) => ana.client.graphql(`mutation { ${name}(${args(given)}) ${fields} }`)
    const refused = await call(of)
    const unknown = await call({ ...of, [id]: UNKNOWN })
    expect(failureOf(refused).code).toBe('NOT_FOUND')
    const tell = ({ body }: typeof refused) => [body.errors[0].message, { ...body.errors[0].extensions, requestId: '' }]
    expect(tell(refused)).toEqual(tell(unknown))
    expect(await dumpOf(service.database, tenant.accountId)).toEqual(before)
  },
)

test.each(writes)('%s of what is their own is carried out (%#)', async (name, args, fields) => {
  const of = await deal(ana)
  expect(dataOf(await ana.client.graphql(`mutation { ${name}(${args(of)}) ${fields} }`))).toBeTruthy()
})

test('a seller owns what they create, also where a rule would give it to another, and names no other owner', async () => {
  await tenant.client.graphql(
    `mutation { createRoundRobinRule(input: {userIds: ["${bia.user.id}"], isActive: true}) { id } }`,
  )
  const created = await ana.client.post('/opportunities', { name: 'Lead', email: 'new@x.test' })
  expect(created.status).toBe(201)
  expect(created.body.data.owner_user_id).toBe(ana.user.id)
  expect((await ana.client.get('/contacts')).body.pagination.total).toBe(1)
  expect((await ana.client.post('/opportunities', { name: 'L', owner_user_id: ana.user.id })).status).toBe(201)
  const refused = await ana.client.post('/opportunities', { name: 'L', owner_user_id: bia.user.id })
  expect(refused.status).toBe(400)
  expect(refused.body.error.details).toEqual([
    { field: 'owner_user_id', message: 'must be yourself: sellers do not give opportunities away' },
  ])
})

test('a seller neither gives an opportunity away nor leaves it, but may send its owner back', async () => {
  const { id } = await deal(ana)
  const give = (owner: string) =>
    ana.client.graphql(`mutation { updateOpportunity(id: "${id}", input: {ownerUserId: ${owner}}) { ownerUserId } }`)
  const message = 'input.ownerUserId: must be yourself: sellers do not give opportunities away'
  expect(faultsOf(await give(`"${bia.user.id}"`))).toEqual([message])
  expect(faultsOf(await give('null'))).toEqual([message])
  expect(dataOf(await give(`"${ana.user.id}"`))).toEqual({ ownerUserId: ana.user.id })
})

test('an email of a contact that is not theirs is taken, without telling whose it is', async () => {
  const { contactId } = await deal(bia)
  const own = await ana.client.post('/contacts', { name: 'Own', email: 'own@x.test' })
  const contact = 'mutation ($input: CreateContactInput!) { createContact(input: $input) { id } }'
  const change = 'mutation ($id: ID!, $input: UpdateContactInput!) { updateContact(id: $id, input: $input) { id } }'
  const lead = 'mutation ($input: CreateOpportunityInput!) { createOpportunity(input: $input) { id } }'
  const input = { name: 'X', email: 'LEAD@x.test' }
  const answers = [
    await ana.client.graphql(contact, { input }),
    await ana.client.graphql(change, { id: own.body.data.id, input }),
    await ana.client.graphql(lead, { input }),
  ]
  for (const answer of answers) {
    const { code, details } = failureOf(answer)
    expect(code).toBe('DUPLICATE_ERROR')
    expect(details).toEqual([{ path: ['input', 'email'], message: 'another contact has this email' }])
  }
  const visible = await ana.client.post('/contacts', { name: 'X', email: 'own@x.test' })
  expect(visible.body.error.details[0].existing_id).toBe(own.body.data.id)
  const all = await tenant.client.post('/contacts', { name: 'X', email: 'lead@x.test' })
  expect(all.body.error.details[0].existing_id).toBe(contactId)
})

test("a contact of two sellers may be changed by both, and each sees the other's change", async () => {
  const { contactId } = await deal(ana)
  await makeOpportunity(service.database, tenant.accountId, {
    contact: { id: contactId } as never,
    ownerUserId: bia.user.id,
  })
  await bia.client.put(`/contacts/${contactId}`, { company: 'Changed' })
  expect((await ana.client.get(`/contacts/${contactId}`)).body.data.company).toBe('Changed')
  expect((await ana.client.get('/opportunities')).body.data[0].contact_company).toBe('Changed')
})

test('an opportunity that is given to another while its seller changes it ends in one of both orders', async () => {
  for (let round = 0; round < 5; round++) {
    const { id } = await makeOpportunity(service.database, tenant.accountId, { ownerUserId: ana.user.id })
    const [changed, given] = await Promise.all([
      ana.client.put(`/opportunities/${id}`, { notes: 'mine', company: 'C' }),
      tenant.client.put(`/opportunities/${id}`, { owner_user_id: bia.user.id }),
    ])
    expect(given.status).toBe(200)
    expect([200, 404]).toContain(changed.status)
    const after = (await bia.client.get(`/opportunities/${id}`)).body.data
    expect(after.notes).toBe(changed.status === 200 ? 'mine' : null)
    expect((await ana.client.put(`/opportunities/${id}`, { notes: 'late' })).status).toBe(404)
  }
})
