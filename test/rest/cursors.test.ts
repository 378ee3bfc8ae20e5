import { startTestApp, type TestApp } from '../support/app.js'
import { type Client, createClient } from '../support/client.js'
import { makeCampaign } from '../support/factories/campaigns.js'
import { makeConversation } from '../support/factories/conversations.js'
import { makeInstagramAgent } from '../support/factories/instagram.js'
import { makeOpportunity, storeOpportunities } from '../support/factories/opportunities.js'
import { makeDiscardReason, makeProduct, makeSector } from '../support/factories/reference.js'
import { makeUser } from '../support/factories/users.js'
import { makeContact, makeTag, makeTenant, type Tenant } from '../support/factories.js'

let service: TestApp
let beside: TestApp
let tenant: Tenant
const made: Record<'campaignId' | 'agentId' | 'opportunityId' | 'tagId', string> = {} as never

// Few values on many records, and some records without one.
const RECORDS = 24
const some = <T>(values: readonly T[], i: number): T => values[(i * 7) % values.length]!
const TIMES = [0, 1, 2].map((day) => new Date(Date.UTC(2026, 0, 1 + day)))
const NAMES = ['Ana', 'ána', 'Bea', 'Ça', 'Ωμέγα', '%_"\\']
const TEXTS = [null, 'Co', 'cö', null, 'Zoo', '']

beforeAll(async () => {
  service = await startTestApp()
  beside = await startTestApp({}, undefined, service)
  tenant = await makeTenant(service)
  const { accountId } = tenant
  const { database } = service
  const tag = await makeTag(database, accountId)
  const contactIds: string[] = []
  for (let i = 0; i < RECORDS; i++) {
    const name = some(NAMES, i)
    const createdAt = some(TIMES, i)
    const lastInteraction = some([null, ...TIMES], i)
    const contact = { name, company: some(TEXTS, i), lastInteraction, createdAt, tags: i % 2 ? [tag] : [] }
    contactIds.push((await makeContact(database, accountId, contact)).id)
    await makeConversation(database, accountId, { createdAt, lastMessageAt: some([null, ...TIMES], i) })
    // Names that are unique, but two of which are always equal without their accents.
    const unique = `${i % 2 ? 'Ana' : 'ána'} ${i >> 1}`
    await makeTag(database, accountId, { name: unique })
    await makeSector(database, accountId, { name: unique })
    await makeProduct(database, accountId, { name })
    await makeUser(database, accountId, { name })
    await makeDiscardReason(database, accountId, { name: unique, displayOrder: some([1, 2], i >> 1) })
  }
  const rows = Array.from({ length: RECORDS }, (_, i) => ({ title: some(NAMES, i), value: some([0, 5, 99.99], i) }))
  await storeOpportunities(
    database,
    accountId,
    rows.map((row, i) => ({ ...row, createdAt: some(TIMES, i), updatedAt: some(TIMES, i + 1) })),
  )
  const history = Array.from({ length: RECORDS }, (_, i) => ({ createdAt: some(TIMES, i) }))
  made.opportunityId = (await makeOpportunity(database, accountId, { contact: null, history })).id
  const createdAt = TIMES[0]!
  for (let i = 0; i < RECORDS; i++) await makeCampaign(database, accountId, { createdAt })
  made.campaignId = (await makeCampaign(database, accountId, { contactIds })).id
  for (let i = 0; i < RECORDS; i++) await makeInstagramAgent(database, accountId, { createdAt })
  const usernames = Array.from({ length: RECORDS }, (_, i) => `user${i}`)
  made.agentId = (await makeInstagramAgent(database, accountId, { usernames })).id
  made.tagId = tag.id
  const stamps = { contact: 'updated_at', conversation: 'updated_at', campaign_contact: 'created_at' }
  const client = await database.pool.connect()
  await client.query('set session_replication_role = replica')
  for (const [table, column] of Object.entries(stamps)) {
    await client.query(
      `update ${table} t set ${column} = '2026-02-01'::timestamptz + make_interval(days => n % 3)
       from (select id, row_number() over (order by id)::int as n from ${table}) r where r.id = t.id and account_id = $1`,
      [accountId],
    )
  }
  await client.query('reset session_replication_role')
  client.release()
})
afterAll(async () => {
  await beside.stop()
  await service.stop()
})

interface Page {
  items: { id: string }[]
  page: number
  total: number
  totalPages: number
  hasNext: boolean
  hasPrev: boolean
  nextCursor: string | null
}

type Read = (client: Client, limit: number, more: { page?: number; cursor?: string }) => Promise<Page>

const overRest =
  (path: string): Read =>
  async (client, limit, { page, cursor }) => {
    const part = `${page ? `&page=${page}` : ''}${cursor ? `&cursor=${cursor}` : ''}`
    const { status, body } = await client.get(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${part}`)
    expect({ path, status, ...body.error }).toEqual({ path, status: 200 })
    const { page: number, total, total_pages, has_next, has_prev, next_cursor } = body.pagination
    const standing = { page: number, total, totalPages: total_pages, hasNext: has_next, hasPrev: has_prev }
    return { items: body.data, ...standing, nextCursor: next_cursor }
  }

const overGraphql =
  (field: (args: string) => string): Read =>
  async (client, limit, { page, cursor }) => {
    const args = `limit: ${limit}${page ? `, page: ${page}` : ''}${cursor ? `, cursor: "${cursor}"` : ''}`
    const PAGE = '{ items { id } pagination { page total totalPages hasNext hasPrev nextCursor } }'
    const { body } = await client.graphql(`{ ${field(args).replace('PAGE', PAGE)} }`)
    expect(body.errors).toBeUndefined()
    const [found] = Object.values(body.data) as { items: never; pagination: never; profiles?: never }[]
    const { items, pagination } = (found!.profiles ?? found!) as { items: Page['items']; pagination: object }
    return { items, ...(pagination as Omit<Page, 'items'>) }
  }

const SORTS = {
  '/contacts': ['created_at', 'updated_at', 'name', 'company', 'last_interaction'],
  '/opportunities': ['created_at', 'updated_at', 'title', 'value'],
  '/conversations': ['created_at', 'updated_at', 'last_message_at'],
}
const sorted = Object.entries(SORTS).flatMap(([path, sorts]) =>
  sorts.flatMap((by) => ['asc', 'desc'].map((order) => `${path}?sort_by=${by}&sort_order=${order}`)),
)
const filtered = () => [
  '/contacts?search=an',
  '/contacts?search=a&sort_by=company&sort_order=asc',
  '/contacts?source=API&sort_by=last_interaction',
  `/contacts?tags=${made.tagId}&sort_by=name&sort_order=asc`,
  '/contacts?updated_after=2026-01-01&sort_by=name',
  '/contacts?updated_after=2026-01-01&sort_by=updated_at&sort_order=asc',
  '/contacts?updated_after=2026-01-01&search=an&sort_by=updated_at&sort_order=asc',
  '/opportunities?is_active=true&sort_by=value',
  '/opportunities?updated_after=2025-01-01&sort_by=updated_at&sort_order=asc',
  '/conversations?status=active',
  '/conversations?last_message_after=2025-01-01',
  '/conversations?last_message_before=2027-01-01&sort_by=last_message_at&sort_order=desc',
]
const plain = ['/campaigns', '/instagram-agents', '/tags', '/sectors', '/products', '/users', '/discard-reasons']

/** Follows the cursors from page to page, each asked of another process than the one before it. */
async function follow(read: Read, limit: number): Promise<Page[]> {
  const clients = [tenant.client, createClient(beside.origin, tenant.key)]
  const pages = [await read(clients[0]!, limit, {})]
  for (let cursor = pages[0]!.nextCursor; cursor; cursor = pages.at(-1)!.nextCursor) {
    pages.push(await read(clients[pages.length % 2]!, limit, { cursor }))
  }
  return pages
}

async function sameAsByNumber(read: Read): Promise<void> {
  const whole = await read(tenant.client, 100, {})
  expect(whole.items.length).toBeGreaterThan(5)
  expect(whole).toMatchObject({ total: whole.items.length, hasNext: false, nextCursor: null })
  for (const limit of [1, 5, whole.items.length]) {
    const pages = await follow(read, limit)
    expect(pages.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(whole.items.map(({ id }) => id))
    const { length } = pages
    expect(length).toBe(Math.ceil(whole.total / limit))
    pages.forEach(({ items: _, nextCursor, ...standing }, i) => {
      const hasNext = i + 1 < length
      expect(standing).toEqual({ page: i + 1, total: whole.total, totalPages: length, hasNext, hasPrev: i > 0 })
      expect(nextCursor !== null).toBe(hasNext)
    })
  }
}

describe('following the cursors shows what the pages by number show', () => {
  test.each(sorted)('%s', (path) => sameAsByNumber(overRest(path)))
  test.each(plain)('%s', (path) => sameAsByNumber(overRest(path)))
  test.each(filtered().map((_, i) => i))('filtered, %i', (i) => sameAsByNumber(overRest(filtered()[i]!)))

  test('the history of an opportunity', () => sameAsByNumber(overRest(`/opportunities/${made.opportunityId}/history`)))

  test('the contacts of a campaign and the profiles of an agent, through /graphql', async () => {
    await sameAsByNumber(overGraphql((args) => `campaignContacts(campaignId: "${made.campaignId}", ${args}) PAGE`))
    await sameAsByNumber(overGraphql((args) => `instagramAgent(id: "${made.agentId}") { profiles(${args}) PAGE }`))
  })

  test('from a page that was asked for by its number', async () => {
    const read = overRest('/contacts?sort_by=company&sort_order=asc')
    const whole = await read(tenant.client, 100, {})
    const { nextCursor } = await read(tenant.client, 5, { page: 3 })
    const next = await read(tenant.client, 5, { page: 77, cursor: nextCursor! }) // the number does not count then
    expect(next).toMatchObject({ page: 4, total: RECORDS, items: whole.items.slice(15, 20).map(({ id }) => ({ id })) })
  })
})

test('what comes and goes before a cursor moves nothing behind it, and the total is raised when it is exceeded', async () => {
  const { client, accountId } = await makeTenant(service)
  const names = ['b', 'd', 'f', 'h']
  for (const name of names) await makeContact(service.database, accountId, { name })
  const read = overRest('/contacts?sort_by=name&sort_order=asc')
  const first = await read(client, 2, {})
  await client.delete(`/contacts/${first.items[0]!.id}`)
  for (const name of ['a', 'c', 'e', 'g', 'i']) await makeContact(service.database, accountId, { name })
  const second = await read(client, 2, { cursor: first.nextCursor! })
  const third = await read(client, 2, { cursor: second.nextCursor! })
  const last = await read(client, 2, { cursor: third.nextCursor! })
  const seen = [second, third, last].map(({ items }) => items.map((one) => (one as { name?: string }).name).join(''))
  expect(seen).toEqual(['ef', 'gh', 'i'])
  expect([first, second, third, last].map(({ total }) => total)).toEqual([4, 5, 7, 7])
  expect(last).toMatchObject({ page: 4, totalPages: 4, hasNext: false, nextCursor: null })
})

describe('a cursor is refused', () => {
  const PATH = '/contacts?sort_by=name&sort_order=asc&source=api'
  const refusal = { status: 400, code: 'VALIDATION_ERROR', details: [{ field: 'cursor' }] }
  const ask = async (client: Client, path: string, cursor: string) => {
    const { status, body } = await client.get(`${path}&limit=2&cursor=${encodeURIComponent(cursor)}`)
    return { status, ...body.error }
  }
  let cursor: string
  beforeAll(async () => {
    cursor = (await overRest(PATH)(tenant.client, 2, {})).nextCursor!
  })

  test('by no call that is like the one that it came from, whatever the size of the page', async () => {
    expect(await ask(tenant.client, PATH, cursor)).toEqual({ status: 200 })
    expect(await ask(tenant.client, `${PATH.replace('source=api', 'source=api&email=')}`, cursor)).toEqual({
      status: 200,
    })
    expect((await overRest(PATH)(tenant.client, 9, { cursor })).items).toHaveLength(9)
  })

  test.each([
    ['another filter', PATH.replace('source=api', 'source=web')],
    ['no filter', PATH.replace('&source=api', '')],
    ['a further filter', `${PATH}&search=a`],
    ['another sort', PATH.replace('=name', '=company')],
    ['another direction', PATH.replace('asc', 'desc')],
    ['another list', '/opportunities?sort_by=created_at&sort_order=asc'],
    ['a filter that nothing can match', `${PATH}&phone=none`],
  ])('with %s', async (_, path) => {
    expect(await ask(tenant.client, path, cursor)).toMatchObject(refusal)
  })

  test('by another account', async () => {
    const { client, accountId } = await makeTenant(service)
    for (const name of ['a', 'b', 'c']) await makeContact(service.database, accountId, { name })
    expect(await ask(client, PATH, cursor)).toMatchObject(refusal)
  })

  test('when it is not one of ours', async () => {
    const bytes = Buffer.from(cursor, 'base64url')
    const flipped = (at: number) => {
      const copy = Buffer.from(bytes)
      copy[at]! ^= 1
      return copy.toString('base64url')
    }
    const forged = [...bytes.keys()].map(flipped)
    const cut = [
      cursor.slice(0, 20),
      cursor.slice(1),
      cursor.slice(0, -4),
      cursor + cursor,
      `${cursor}AAAA`,
      `${cursor}=`,
    ]
    for (const text of [
      ...forged,
      ...cut,
      'a',
      '1',
      'null',
      '{}',
      '%00',
      'é',
      "'; drop table contact",
      'A'.repeat(2000),
    ]) {
      expect({ text, ...(await ask(tenant.client, PATH, text)) }).toMatchObject(refusal)
    }
    const { body } = await tenant.client.graphql('{ contacts(cursor: "x") { items { id } } }')
    expect(body.errors[0].extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path: ['cursor'] }] })
  })
})

test('a page that follows a cursor is one statement, and a copy two', async () => {
  const count = async (path: string) => {
    const { nextCursor } = await overRest(path)(tenant.client, 2, {})
    const work = () => overRest(path)(tenant.client, 2, { cursor: nextCursor! })
    return (await service.statementsOf(work)).statements.filter((text) => !/\bapi_key\b/.test(text)).length
  }
  for (const path of [...sorted, ...plain, '/contacts?search=an'])
    expect({ path, count: await count(path) }).toEqual({ path, count: 1 })
  expect(await count('/contacts?updated_after=2020-01-01&sort_by=updated_at&sort_order=asc')).toBe(2)
})
