import { type EntityManager, type FilterQuery, QueryOrder, raw } from '@mikro-orm/postgresql'
import fc from 'fast-check'
import { Scope } from '../../src/database/index.js'
import { Campaign } from '../../src/domains/campaigns/index.js'
import { Contact } from '../../src/domains/contacts/index.js'
import { Opportunity, OpportunityComment, OpportunityProduct } from '../../src/domains/opportunities/index.js'
import { OpportunitySortField } from '../../src/domains/opportunities/opportunity.inputs.js'
import { opportunityReads } from '../../src/domains/opportunities/opportunity.reads.js'
import { Pipeline, Stage } from '../../src/domains/pipelines/index.js'
import { DiscardReason, Sector } from '../../src/domains/reference/index.js'
import { User } from '../../src/domains/users/index.js'
import { fieldsOf, publishedNames } from '../../src/kit/reads/index.js'
import type { Selection } from '../../src/kit/selection.js'
import { SortOrder } from '../../src/shared/sorting.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeCampaign } from '../support/factories/campaigns.js'
import { makePipeline } from '../support/factories/pipelines.js'
import { makeDiscardReason, makeSector } from '../support/factories/reference.js'
import { makeUser } from '../support/factories/users.js'
import { makeContact, makeTenant } from '../support/factories.js'
import { fold, instant, PROPERTY_TIMEOUT, RUNS } from '../support/generators.js'
import { readerOf } from '../support/reader.js'

let service: TestApp
beforeAll(async () => {
  // Row security would hide a condition on the account that a read forgot.
  service = await startTestApp({ rowSecurity: false })
})
afterAll(() => service.stop())

const isCopy = (name: string) => name.startsWith('contact') && name !== 'contactId'
const NAMES = fieldsOf(Opportunity).map(({ name }) => name)
const OWN = NAMES.filter((name) => !isCopy(name))
const LABELS = publishedNames(Opportunity).filter((name) => !OWN.includes(name))
const LINE = 'id productId name quantity unitPrice totalPrice discountPercent discountValue createdAt'.split(' ')
const COMMENT = ['id', 'content', 'userName', 'createdAt']
const ALL = [...OWN, ...LABELS, 'products', 'comments']
const select = (names: readonly string[]): Selection => new Map(names.map((name) => [name, new Map()]))

type Found = Record<string, unknown>

/** A record as it goes out: the fields that were asked for, timestamps as texts. */
function outward(record: object, names: readonly string[]): Found {
  return JSON.parse(JSON.stringify(Object.fromEntries(names.map((n) => [n, record[n as keyof object] ?? null]))))
}

const text = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'A', 'á', 'Ã', 'b', 'ç', '%', '_', '\\', ' ', 'é'), minLength: 1, maxLength })
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 2 })
const cents = fc.nat({ max: 300_000 }).map((n) => n / 100)
const place = fc.nat({ max: 1 })

const seed = fc.record({
  title: text(4),
  value: fc.oneof(cents, fc.constant(5), fc.constant(999_999_999_999.99)),
  probability: nullable(fc.nat({ max: 100 })),
  expectedCloseDate: nullable(fc.constantFrom('2026-12-31', '2024-02-29')),
  score: fc.integer({ min: -5, max: 100 }),
  notes: nullable(text(5)),
  wonAt: nullable(instant),
  lostAt: nullable(instant),
  discardedAt: nullable(instant),
  sentAt: nullable(instant),
  createdAt: instant,
  /** Which stage, contact, owner, campaign, sector and reason. */
  stage: fc.nat({ max: 3 }),
  contact: nullable(place),
  owner: nullable(place),
  campaign: nullable(place),
  sector: nullable(place),
  reason: nullable(place),
  products: fc.array(
    fc.record({
      quantity: fc.integer({ min: 1, max: 9999 }).map((n) => n / 1000),
      unitPrice: cents,
      discountPercent: nullable(fc.nat({ max: 10_000 }).map((n) => n / 100)),
      discountValue: nullable(cents),
    }),
    { maxLength: 3 },
  ),
  comments: fc.array(text(6), { maxLength: 3 }),
})

const NONE = 2 // a place where nothing is
const conditions = {
  search: text(2),
  company: text(2),
  stage: fc.nat({ max: 4 }),
  pipeline: fc.nat({ max: NONE }),
  contact: fc.nat({ max: NONE }),
  owner: fc.nat({ max: NONE }),
  campaign: fc.nat({ max: NONE }),
  sector: fc.nat({ max: NONE }),
  isActive: fc.boolean(),
  createdAfter: instant,
  createdBefore: instant,
}
type Asked = { [Name in keyof typeof conditions]?: (typeof conditions)[Name] extends fc.Arbitrary<infer T> ? T : never }
const query = fc.record({
  asked: fc
    .tuple(fc.record(conditions), fc.subarray(Object.keys(conditions) as (keyof Asked)[], { maxLength: 3 }))
    .map(([values, names]): Asked => Object.fromEntries(names.map((name) => [name, values[name]]))),
  by: fc.constantFrom(...Object.values(OpportunitySortField)),
  order: fc.constantFrom(SortOrder.ASC, SortOrder.DESC),
  page: fc.integer({ min: 1, max: 3 }),
  limit: fc.integer({ min: 1, max: 7 }),
})
type Query = typeof query extends fc.Arbitrary<infer T> ? T : never

/** A new account with two records of each kind around opportunities. */
async function makeAround() {
  const { accountId } = await makeTenant(service)
  const { database } = service
  const two = async <T>(make: (i: number) => Promise<T>) => [await make(0), await make(1)] as const
  const pipelines = await two((i) => makePipeline(database, accountId, { name: `P${i}` }))
  const ids = {
    pipeline: pipelines.map(({ id }) => id),
    stage: pipelines.flatMap(({ stages }) => stages.map(({ id }) => id)),
    contact: (await two((i) => makeContact(database, accountId, { name: `á${i}`, company: i ? 'Ça b' : null }))).map(
      idOf,
    ),
    owner: (await two(() => makeUser(database, accountId))).map(idOf),
    campaign: (await two((i) => makeCampaign(database, accountId, { name: `C${i}` }))).map(idOf),
    sector: (await two(() => makeSector(database, accountId))).map(idOf),
    reason: (await two(() => makeDiscardReason(database, accountId))).map(idOf),
  }
  return { accountId, ids, db: Scope.ofSystem(database, accountId) }
}
const idOf = ({ id }: { id: string }) => id
type Around = Awaited<ReturnType<typeof makeAround>>

async function store(
  { accountId, ids }: Around,
  seeds: readonly (typeof seed extends fc.Arbitrary<infer T> ? T : never)[],
) {
  const em = service.database.forkFor(accountId)
  const at = (kind: keyof typeof ids, i: number | null) => (i === null ? null : ids[kind][i]!)
  const stored = seeds.map(({ stage, contact, owner, campaign, sector, reason, products, comments, ...own }) => {
    const opportunity = em.create(Opportunity, {
      ...own,
      ...{ accountId, currency: 'BRL', pipelineId: ids.pipeline[stage >> 1]!, stageId: ids.stage[stage]! },
      ...{ contactId: at('contact', contact), ownerUserId: at('owner', owner), campaignId: at('campaign', campaign) },
      ...{ sectorId: at('sector', sector), discardReasonId: at('reason', reason) },
    })
    const of = { accountId, opportunityId: opportunity.id }
    for (const line of products) em.create(OpportunityProduct, { name: 'Kit', ...line, ...of })
    for (const content of comments) em.create(OpportunityComment, { content, ...of })
    return opportunity
  })
  await em.flush()
  return stored.map(idOf)
}

/** What the ORM knows of these opportunities, with all that is around them. */
async function throughOrm(em: EntityManager, found: Opportunity[]): Promise<Found[]> {
  const all = async <T extends object>(entity: new () => T, ids: (string | null | undefined)[]) => {
    const rows = await em.find(entity, { id: { $in: ids.filter(Boolean) } } as never)
    return new Map((rows as (T & { id: string })[]).map((row) => [row.id, row]))
  }
  const of = { opportunityId: { $in: found.map(idOf) } }
  const oldest = { orderBy: { createdAt: 'asc', id: 'asc' } } as const
  const lines = await em.find(OpportunityProduct, of, oldest)
  const comments = await em.find(OpportunityComment, of, oldest)
  const [pipelines, stages] = [
    await all(
      Pipeline,
      found.map((o) => o.pipelineId),
    ),
    await all(
      Stage,
      found.map((o) => o.stageId),
    ),
  ]
  const [owners, campaigns] = [
    await all(
      User,
      found.map((o) => o.ownerUserId),
    ),
    await all(
      Campaign,
      found.map((o) => o.campaignId),
    ),
  ]
  const [sectors, contacts] = [
    await all(
      Sector,
      found.map((o) => o.sectorId),
    ),
    await all(
      Contact,
      found.map((o) => o.contactId),
    ),
  ]
  const reasons = await all(
    DiscardReason,
    found.map((o) => o.discardReasonId),
  )
  return found.map((o) => {
    const [owner, contact] = [owners.get(o.ownerUserId!), contacts.get(o.contactId!)]
    const labels = {
      ...{ pipelineName: pipelines.get(o.pipelineId)!.name, stageName: stages.get(o.stageId)!.name },
      ...{ campaignName: campaigns.get(o.campaignId!)?.name, sectorName: sectors.get(o.sectorId!)?.name },
      ...{ ownerUserName: owner?.name, ownerUserEmail: owner?.email },
      discardReasonName: reasons.get(o.discardReasonId!)?.name,
      ...{ contactName: contact?.name, contactCompany: contact?.company, contactEmail: contact?.email },
      ...{ contactPhone: contact?.phone, contactTitle: contact?.title, contactLocation: contact?.location },
      ...{ contactProfileUrl: contact?.linkedinProfileUrl, contactProfilePicture: contact?.profilePicture },
    }
    const mine = <T extends { opportunityId: string }>(parts: T[], names: string[]) =>
      parts.filter(({ opportunityId }) => opportunityId === o.id).map((part) => outward(part, names))
    const parts = { products: mine(lines.map(withTotal), LINE), comments: mine(comments, COMMENT) }
    return { ...outward({ ...o, value: Number(o.value) }, OWN), ...outward(labels, LABELS), ...parts }
  })
}

/** The total in whole units of a thousandth of a cent of a percent, which a double holds exactly at these sizes. */
function withTotal(line: OpportunityProduct): OpportunityProduct {
  const { quantity, unitPrice, discountPercent, discountValue } = line
  const [thousandths, price] = [Math.round(quantity * 1000), Math.round(unitPrice * 100)]
  const left = 10_000 - Math.round((discountPercent ?? 0) * 100)
  const tiny =
    BigInt(thousandths) * BigInt(price) * BigInt(left) - BigInt(Math.round((discountValue ?? 0) * 100)) * 10_000_000n
  const total = tiny < 0n ? 0 : Number((tiny + 5_000_000n) / 10_000_000n) / 100
  return { ...line, totalPrice: total } as OpportunityProduct
}

/** The conditions in the ORM's own terms. */
function forOrm({ accountId, ids }: Around, asked: Asked): FilterQuery<Opportunity> {
  const all: object[] = [{ accountId }]
  const has = (column: string, part: string) => ({
    [raw((alias) => `fold(${alias}.${column})`)]: { $like: `%${fold(part).replace(/[\\%_]/g, '\\$&')}%` },
  })
  if (asked.search)
    all.push({ $or: ['title', 'contact_name', 'contact_company'].map((column) => has(column, asked.search!)) })
  if (asked.company) all.push(has('contact_company', asked.company))
  const names = { stage: 'stageId', pipeline: 'pipelineId', contact: 'contactId', owner: 'ownerUserId' } as const
  for (const [kind, name] of Object.entries({ ...names, campaign: 'campaignId', sector: 'sectorId' })) {
    const chosen = asked[kind as 'stage']
    if (chosen !== undefined) all.push({ [name]: ids[kind as 'stage'][chosen] ?? accountId }) // nothing has the account's id
  }
  if (asked.isActive === true) all.push({ lostAt: null, discardedAt: null })
  if (asked.isActive === false) all.push({ $or: [{ lostAt: { $ne: null } }, { discardedAt: { $ne: null } }] })
  if (asked.createdAfter) all.push({ createdAt: { $gte: asked.createdAfter } })
  if (asked.createdBefore) all.push({ createdAt: { $lte: asked.createdBefore } })
  return { $and: all } as FilterQuery<Opportunity>
}

function forReads({ accountId, ids }: Around, { search, company, ...asked }: Asked) {
  const bound = (at: Date | undefined) => at && { from: at.toISOString(), to: at.toISOString() }
  const id = (kind: keyof typeof ids) => {
    const chosen = asked[kind as 'stage']
    return chosen === undefined ? undefined : (ids[kind][chosen] ?? accountId)
  }
  return {
    ...{ search, company, isActive: asked.isActive, stageId: id('stage'), pipelineId: id('pipeline') },
    ...{ contactId: id('contact'), ownerUserId: id('owner'), campaignId: id('campaign'), sectorId: id('sector') },
    ...{ createdAfter: bound(asked.createdAfter), createdBefore: bound(asked.createdBefore) },
  }
}

const KEYS = { created_at: 'createdAt', updated_at: 'updatedAt', value: 'value' } as const

function listThroughOrm(around: Around, { asked, by, order, page, limit }: Query) {
  const direction = order === SortOrder.ASC ? QueryOrder.ASC : QueryOrder.DESC
  const key = by === OpportunitySortField.TITLE ? raw((alias) => `fold(${alias}.title) collate "C"`) : KEYS[by]
  const orderBy = [{ [key]: direction }, { id: direction }]
  return Scope.ofSystem(service.database, around.accountId).unitOfWork(async (em) => {
    const options = { orderBy, limit, offset: (page - 1) * limit }
    const [found, total] = await em.findAndCount(Opportunity, forOrm(around, asked), options as never)
    return { items: await throughOrm(em, found), total }
  })
}

const FEWER = RUNS * 0.3

test(
  'lists of opportunities, and each one, are what MikroORM finds, for any data, filter, sort and page',
  async () => {
    let found = 0
    const seeds = fc.array(seed, { maxLength: 12, size: 'max' })
    const stranger = await makeAround()
    const property = fc.asyncProperty(seeds, fc.array(query, { minLength: 6, maxLength: 6 }), async (list, queries) => {
      const around = await makeAround()
      const ids = await store(around, list)
      for (const each of queries) {
        const sort = { by: each.by, order: each.order }
        const asked = { filter: forReads(around, each.asked), sort, page: each.page, limit: each.limit }
        const { items, pagination } = await opportunityReads.list(readerOf(around.db), asked, select(ALL))
        const expected = await listThroughOrm(around, each)
        expect({ items: items.map((row) => outward(row, ALL)), total: pagination.total }).toEqual(expected)
        const one = expected.items[0]
        if (one)
          expect(outward((await opportunityReads.find(around.db, one.id as string, select(ALL)))!, ALL)).toEqual(one)
        found += items.length
      }
      for (const id of ids.slice(0, 1))
        expect(await opportunityReads.find(stranger.db, id, select(ALL))).toBeUndefined()
    })
    await fc.assert(property, { numRuns: FEWER })
    expect(found).toBeGreaterThan(FEWER) // else the queries would be too narrow to show anything
  },
  PROPERTY_TIMEOUT,
)

const IDS = OWN.filter((name) => name.endsWith('Id'))

test('a read brings the columns of its selection and the id, for any selection', async () => {
  const around = await makeAround()
  const ids = await store(around, fc.sample(seed, { numRuns: 5, seed: 1 }))
  const property = fc.asyncProperty(fc.subarray(ALL), fc.constantFrom(...ids), async (names, id) => {
    const columns = [...new Set(['id', ...names])].toSorted()
    const row = await opportunityReads.find(around.db, id, select(names))
    expect(Object.keys(row!).toSorted()).toEqual(columns)
    const { items } = await opportunityReads.list(readerOf(around.db), { page: 1, limit: 100 }, select(names))
    const listed = items.find((item) => item.id === id)!
    // A list reads the ids of what it shows the names of, too.
    expect(ALL.filter((name) => name in listed && !IDS.includes(name)).toSorted()).toEqual(
      columns.filter((name) => !IDS.includes(name)),
    )
    expect(outward(listed, names)).toEqual(outward(row!, names))
  })
  await fc.assert(property, { numRuns: FEWER })
})
