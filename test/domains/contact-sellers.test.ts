import { startTestApp, type TestApp } from '../support/app.js'
import { makeConversation } from '../support/factories/conversations.js'
import { makeOpportunity } from '../support/factories/opportunities.js'
import { makeUser } from '../support/factories/users.js'
import { makeContact, makeTenant, type Tenant } from '../support/factories.js'
import { type Seller, sellersOf } from '../support/sellers.js'

let service: TestApp
const sellers = sellersOf(() => service)
let tenant: Tenant
let ana: Seller
let bia: Seller
beforeAll(async () => {
  service = await startTestApp({ poolSize: 12 })
})
afterAll(async () => {
  sellers.restore()
  await service.stop()
})
beforeEach(async () => {
  tenant = await makeTenant(service)
  ana = await sellers.make(tenant.accountId)
  bia = await sellers.make(tenant.accountId)
})

const query = async (sql: string, values: unknown[] = [tenant.accountId]) =>
  (await service.database.pool.query(sql, values)).rows

const kept = () =>
  query(`select user_id, contact_id, opportunities, conversations from contact_seller
    where account_id = $1 and opportunities + conversations > 0 order by 1, 2`)

/** The same as it follows from the records. */
const following = () =>
  query(`select user_id, contact_id, sum(o)::int as opportunities, sum(c)::int as conversations from (
      select owner_user_id as user_id, contact_id, 1 as o, 0 as c from opportunity where account_id = $1
      union all select assigned_user_id, contact_id, 0, 1 from conversation where account_id = $1) r
    where user_id is not null and contact_id is not null group by 1, 2 order by 1, 2`)

/** Whose copy of the contact's name is not the contact's. */
const misnamed = () =>
  query(`select c.name, s.contact_name_key from contact_seller s join contact c on c.id = s.contact_id
    where s.account_id = $1 and s.contact_name_key <> c.name_key`)

const reasons = async (contactId: string, userId: string) =>
  (
    await query(
      'select created, opportunities, conversations from contact_seller where contact_id = $1 and user_id = $2',
      [contactId, userId],
    )
  )[0]

test("a contact is a seller's for as long as there is a reason", async () => {
  const { database } = service
  const contact = await makeContact(database, tenant.accountId)
  const userId = ana.user.id
  const one = await makeOpportunity(database, tenant.accountId, { contact, ownerUserId: userId })
  await makeOpportunity(database, tenant.accountId, { contact, ownerUserId: userId })
  const talk = await makeConversation(database, tenant.accountId, { contactId: contact.id, assignedUserId: userId })
  expect(await reasons(contact.id, userId)).toEqual({ created: false, opportunities: 2, conversations: 1 })

  await tenant.client.delete(`/opportunities/${one.id}`)
  expect(await reasons(contact.id, userId)).toEqual({ created: false, opportunities: 1, conversations: 1 })
  await query('update opportunity set owner_user_id = $2 where contact_id = $1', [contact.id, bia.user.id])
  expect(await reasons(contact.id, userId)).toEqual({ created: false, opportunities: 0, conversations: 1 })
  expect(await reasons(contact.id, bia.user.id)).toEqual({ created: false, opportunities: 1, conversations: 0 })
  await query('update conversation set assigned_user_id = null where id = $1', [talk.id])
  expect(await reasons(contact.id, userId)).toBeUndefined()

  await tenant.client.delete(`/contacts/${contact.id}`)
  expect(await reasons(contact.id, bia.user.id)).toBeUndefined()
})

test("a contact that a seller created stays theirs, and one that a program created is nobody's", async () => {
  const created = await ana.client.post('/contacts', { name: 'New' })
  expect(created.status).toBe(201)
  const { id } = created.body.data
  expect(await reasons(id, ana.user.id)).toEqual({ created: true, opportunities: 0, conversations: 0 })
  const { id: opportunityId } = await makeOpportunity(service.database, tenant.accountId, {
    contact: { id } as never,
    ownerUserId: ana.user.id,
  })
  await tenant.client.delete(`/opportunities/${opportunityId}`)
  expect((await ana.client.get(`/contacts/${id}`)).status).toBe(200)

  await tenant.client.post('/contacts', { name: 'Of a program' })
  expect(await query('select from contact_seller where account_id = $1')).toHaveLength(1)
})

test('what is stored in bulk counts too, and goes with the account', async () => {
  const { accountId } = tenant
  const contact = await makeContact(service.database, accountId)
  await query(
    `insert into opportunity (id, account_id, title, currency, pipeline_id, stage_id, contact_id, owner_user_id)
      select gen_random_uuid(), $1, 'Bulk', 'BRL', s.pipeline_id, s.id, $2, $3
      from generate_series(1, 50), (select * from stage where account_id = $1 limit 1) s`,
    [accountId, contact.id, ana.user.id],
  )
  expect(await reasons(contact.id, ana.user.id)).toMatchObject({ opportunities: 50 })
  await query(
    'delete from opportunity where account_id = $1 and id in (select id from opportunity where account_id = $1 limit 20)',
  )
  expect(await reasons(contact.id, ana.user.id)).toMatchObject({ opportunities: 30 })
  await query('delete from account where id = $1')
  expect(await query('select from contact_seller where account_id = $1')).toEqual([])
})

test('after a storm of writes of a few contacts, owners and conversations it is as it follows from the records', async () => {
  const { accountId } = tenant
  const { database } = service
  const users = [ana.user, bia.user, await makeUser(database, accountId)].map(({ id }) => id)
  const contacts = await Promise.all([1, 2, 3].map((n) => makeContact(database, accountId, { email: `p${n}@x.test` })))
  for (const contact of contacts) await makeOpportunity(database, accountId, { contact, ownerUserId: users[0] })
  await makeConversation(database, accountId, { contactId: contacts[0]!.id, assignedUserId: users[0] })
  const any = <T>(list: readonly T[]) => list[Math.floor(Math.random() * list.length)]!
  const anOpportunity = async () => any(await query('select id from opportunity where account_id = $1'))?.id
  const works: (() => Promise<unknown>)[] = [
    () =>
      tenant.client.post('/opportunities', {
        name: 'P',
        email: `p${1 + Math.floor(Math.random() * 3)}@x.test`,
        owner_user_id: any(users),
      }),
    async () => tenant.client.put(`/opportunities/${await anOpportunity()}`, { owner_user_id: any(users) }),
    async () => tenant.client.delete(`/opportunities/${await anOpportunity()}`),
    () =>
      // As the service does it: the contact is held before.
      query(
        `with held as materialized (select id from contact where id = $3 for no key update)
        update conversation set assigned_user_id = $2, contact_id = held.id from held where account_id = $1`,
        [accountId, any(users), any(contacts).id],
      ),
    async () => tenant.client.put(`/contacts/${any(contacts).id}`, { name: `Name ${Math.random()}` }),
    () => ana.client.post('/contacts', { name: 'Mine' }),
  ]
  const writers = Array.from({ length: 8 }, async () => {
    for (let i = 0; i < 12; i++) await any(works)()
  })
  const deleting = (async () => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    return tenant.client.delete(`/contacts/${contacts[2]!.id}`)
  })()
  await Promise.all([...writers, deleting])
  const expected = await following()
  expect(expected.length).toBeGreaterThan(0)
  expect(await kept()).toEqual(expected)
  expect(await misnamed()).toEqual([])
  expect(
    await query(
      `select from contact_seller where account_id = $1 and opportunities = 0 and conversations = 0 and not created`,
    ),
  ).toEqual([])
})

test('two who swap the owners of two opportunities of one contact do not wait for each other', async () => {
  const { database } = service
  const contact = await makeContact(database, tenant.accountId)
  const [a, b] = [ana.user.id, bia.user.id]
  const one = await makeOpportunity(database, tenant.accountId, { contact, ownerUserId: a })
  const two = await makeOpportunity(database, tenant.accountId, { contact, ownerUserId: b })
  for (let round = 0; round < 15; round++) {
    const [first, second] = round % 2 ? [a, b] : [b, a]
    await Promise.all([
      query('update opportunity set owner_user_id = $2 where id = $1', [one.id, first]),
      query('update opportunity set owner_user_id = $2 where id = $1', [two.id, second]),
    ])
  }
  expect(await kept()).toEqual(await following())
})

test("a seller's contacts come newest first, whenever they became theirs", async () => {
  const { database } = service
  for (const name of ['2021', '2023', '2020', '2022']) {
    const contact = await makeContact(database, tenant.accountId, { name, createdAt: new Date(`${name}-05-01`) })
    await makeOpportunity(database, tenant.accountId, { contact, ownerUserId: ana.user.id })
  }
  await makeContact(database, tenant.accountId, { name: 'Nobody' })
  const namesOf = async (parameters: string) =>
    (await ana.client.get(`/contacts?${parameters}`)).body.data.map(({ name }: { name: string }) => name)
  expect(await namesOf('')).toEqual(['2023', '2022', '2021', '2020'])
  expect(await namesOf('sort_order=asc')).toEqual(['2020', '2021', '2022', '2023'])
  expect(await namesOf('limit=3&page=2')).toEqual(['2020'])
  const seen: string[] = []
  for (let cursor: string | null = null, round = 0; round === 0 || cursor; round++) {
    const argument: string = cursor ? `, cursor: "${cursor}"` : ''
    const { body } = await ana.client.graphql(
      `{ contacts(limit: 1${argument}) { items { name } pagination { total nextCursor } } }`,
    )
    const { items, pagination } = body.data.contacts
    expect(pagination.total).toBe(4)
    seen.push(items[0].name)
    cursor = pagination.nextCursor
  }
  expect(seen).toEqual(['2023', '2022', '2021', '2020'])
})

test("a seller's contacts come by name, those of one name by id, and a new name finds its place", async () => {
  const { database } = service
  const names = ['Élio', 'bia', 'Carlos', 'Ana', 'bia', 'BIA', 'Davi']
  const ids: string[] = []
  for (const name of names) {
    const contact = await makeContact(database, tenant.accountId, { name })
    ids.push(contact.id)
    await makeOpportunity(database, tenant.accountId, { contact, ownerUserId: ana.user.id })
  }
  await makeContact(database, tenant.accountId, { name: 'Bento' })
  const pages = async (order: string): Promise<string[]> => {
    const seen: string[] = []
    for (let cursor: string | null = null, round = 0; round === 0 || cursor; round++) {
      const { body } = await ana.client.graphql(
        `query ($cursor: String) { contacts(limit: 2, cursor: $cursor, sort: { by: NAME, order: ${order} }) {
          items { id } pagination { total nextCursor } } }`,
        { cursor },
      )
      const { items, pagination } = body.data.contacts
      expect(pagination.total).toBe(names.length)
      seen.push(...items.map(({ id }: { id: string }) => id))
      cursor = pagination.nextCursor
    }
    return seen
  }
  const [elio, bia1, carlos, first, bia2, bia3, davi] = ids
  expect(await pages('ASC')).toEqual([first, bia1, bia2, bia3, carlos, davi, elio])
  expect(await pages('DESC')).toEqual([elio, davi, carlos, bia3, bia2, bia1, first])
  expect((await tenant.client.put(`/contacts/${first}`, { name: 'Zé' })).status).toBe(200)
  expect(await pages('ASC')).toEqual([bia1, bia2, bia3, carlos, davi, elio, first])
  const { body } = await ana.client.graphql(
    '{ contacts(limit: 3, page: 2, sort: { by: NAME, order: ASC }) { items { id } } }',
  )
  expect(body.data.contacts.items).toEqual([{ id: carlos }, { id: davi }, { id: elio }])
})

test("a name that changes while the contact becomes a seller's is the one that is kept", async () => {
  const { database } = service
  const contact = await makeContact(database, tenant.accountId, { name: 'Name 0' })
  const opportunity = await makeOpportunity(database, tenant.accountId, { contact, ownerUserId: ana.user.id })
  for (let round = 1; round <= 20; round++) {
    await Promise.all([
      tenant.client.put(`/contacts/${contact.id}`, { name: `Name ${round}` }),
      tenant.client.put(`/opportunities/${opportunity.id}`, { owner_user_id: [ana, bia][round % 2]!.user.id }),
    ])
    expect(await misnamed()).toEqual([])
  }
})
