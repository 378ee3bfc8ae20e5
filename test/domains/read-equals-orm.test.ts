import { type EntityManager, type FilterQuery, QueryOrder, raw } from '@mikro-orm/postgresql'
import fc from 'fast-check'
import { Scope } from '../../src/database/index.js'
import { ContactSortField } from '../../src/domains/contacts/contact.inputs.js'
import { type ContactQuery, contactReads } from '../../src/domains/contacts/contact.reads.js'
import { Contact, ContactNote, ContactTag, ContactTouch } from '../../src/domains/contacts/index.js'
import { fieldsOf } from '../../src/kit/reads/index.js'
import type { Selection } from '../../src/kit/selection.js'
import { SortOrder } from '../../src/shared/sorting.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeTenant } from '../support/factories.js'
import {
  fold,
  instant,
  PROPERTY_TIMEOUT,
  type Query,
  query,
  RUNS,
  type Seed,
  seeds,
  storeSeeds,
  storeTags,
} from '../support/generators.js'
import { readerOf } from '../support/reader.js'

let service: TestApp
beforeAll(async () => {
  // Row security would hide a condition on the account that a read forgot.
  service = await startTestApp({ rowSecurity: false })
})
afterAll(() => service.stop())

const SCALARS = fieldsOf(Contact).map(({ name }) => name)

const select = (names: readonly string[]): Selection => new Map(names.map((name) => [name, new Map()]))
const ALL = [...SCALARS, 'tags', 'notes', 'attribution']
const everything = select(ALL)

type Found = Record<string, unknown> & { id: string }

/** A record as it goes out: the fields that were asked for, timestamps as texts. */
function outward(record: object, names: readonly string[]): Found {
  const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, record[name as keyof object] ?? null])))
  return JSON.parse(text)
}

/** What the visits of a contact, oldest first, say of how it found the account. */
function attributionOf(touches: ContactTouch[]) {
  const [first, last] = [touches[0], touches.at(-1)]
  if (!first || !last) return null
  return {
    firstUtmSource: first.utmSource,
    firstUtmMedium: first.utmMedium,
    firstUtmCampaign: first.utmCampaign,
    firstChannel: first.channel,
    firstLandingUrl: first.landingUrl,
    firstTouch: first.raw,
    lastTouch: last.raw,
    touchCount: touches.length,
    firstSeenAt: first.occurredAt.toISOString(),
    lastSeenAt: last.occurredAt.toISOString(),
  }
}

/** What the ORM finds of these contacts, with tags by name, and notes and visits oldest first. */
async function throughOrm(em: EntityManager, contacts: Contact[]): Promise<Found[]> {
  const of = { contact: { $in: contacts.map(({ id }) => id) } }
  const links = await em.find(ContactTag, of, { populate: ['tag'], orderBy: { tag: { name: 'asc', id: 'asc' } } })
  const notes = await em.find(ContactNote, of, { orderBy: { createdAt: 'asc', id: 'asc' } })
  const touches = await em.find(ContactTouch, of, { orderBy: { occurredAt: 'asc', id: 'asc' } })
  return contacts.map((contact) => ({
    ...outward(contact, SCALARS),
    tags: links
      .filter((link) => link.contact.id === contact.id)
      .map(({ tag }) => outward(tag, ['id', 'name', 'color', 'createdAt'])),
    notes: notes
      .filter((note) => note.contact.id === contact.id)
      .map((note) => outward(note, ['id', 'note', 'createdAt'])),
    attribution: attributionOf(touches.filter((touch) => touch.contact.id === contact.id)),
  }))
}

const folded = (column: string) => raw((alias) => `fold(${alias}.${column})`)
const pattern = (text: string) => `%${fold(text.trim()).replace(/[\\%_]/g, '\\$&')}%`
const has = (column: string, text: string) => ({ [folded(column)]: { $like: pattern(text) } })

/** The conditions in the ORM's own terms; `tagged` are the ids of the contacts that carry one of the tags. */
function conditions(accountId: string, asked: Query, tagged: string[] | undefined): FilterQuery<Contact> {
  const all: object[] = [{ accountId }]
  if (asked.search) all.push({ $or: ['name', 'email', 'company'].map((column) => has(column, asked.search!)) })
  if (asked.company) all.push(has('company', asked.company))
  if (asked.email) all.push(has('email', asked.email))
  if (asked.phone) {
    const digits = raw((alias) => `regexp_replace(${alias}.phone, '[^0-9]', '', 'g')`)
    const wanted = asked.phone.replace(/\D/g, '')
    all.push(wanted ? { [digits]: { $like: `%${wanted}%` } } : { id: { $in: [] } })
  }
  if (asked.source) all.push({ [raw((alias) => `lower(${alias}.source)`)]: asked.source.toLowerCase() })
  if (tagged) all.push({ id: { $in: tagged } })
  if (asked.created_after) all.push({ createdAt: { $gte: asked.created_after } })
  if (asked.created_before) all.push({ createdAt: { $lte: asked.created_before } })
  if (asked.updated_after) all.push({ updatedAt: { $gte: asked.updated_after } })
  if (asked.updated_before) all.push({ updatedAt: { $lte: asked.updated_before } })
  return { $and: all } as FilterQuery<Contact>
}

/** The order in the ORM's own terms. */
function order({ sort_by = 'created_at', sort_order = 'desc' }: Query) {
  const direction = sort_order === 'asc' ? QueryOrder.ASC_NULLS_LAST : QueryOrder.DESC_NULLS_LAST
  const keys = {
    created_at: 'createdAt',
    updated_at: 'updatedAt',
    last_interaction: 'lastInteraction',
    name: raw((alias) => `fold(${alias}.name) collate "C"`),
    company: raw((alias) => `fold(${alias}.company) collate "C"`),
  }
  return [{ [keys[sort_by]]: direction }, { id: sort_order }]
}

/** The page and the total that the ORM finds, in a unit of work of the account. */
function listThroughOrm(accountId: string, asked: Query, tagIds: string[] | undefined) {
  return Scope.ofSystem(service.database, accountId).unitOfWork(async (em) => {
    const links = tagIds && (await em.find(ContactTag, { tag: { $in: tagIds } }))
    const tagged = links?.map(({ contact }) => contact.id)
    const { page, limit } = asked
    const options = { orderBy: order(asked), limit, offset: (page - 1) * limit }
    const [entities, total] = await em.findAndCount(Contact, conditions(accountId, asked, tagged), options as never)
    return { items: await throughOrm(em, entities), total }
  })
}

/** The same query for the hot read. */
function forReads(asked: Query, tagIds: string[] | undefined): ContactQuery {
  const bound = (at: Date | undefined) => at && { from: at.toISOString(), to: at.toISOString() }
  const { search, company, email, phone, source, page, limit } = asked
  const text = (value: string | undefined) => value?.trim() || undefined // as the input rules leave it
  return {
    filter: {
      search: text(search),
      company: text(company),
      email: text(email),
      phone: text(phone),
      source,
      tagIds,
      createdAfter: bound(asked.created_after),
      createdBefore: bound(asked.created_before),
      updatedAfter: bound(asked.updated_after),
      updatedBefore: bound(asked.updated_before),
    },
    sort: { by: asked.sort_by as ContactSortField | undefined, order: asked.sort_order as SortOrder | undefined },
    page,
    limit,
  }
}

const trimmed = (asked: Query): Query => {
  const texts = (['search', 'company', 'email', 'phone'] as const).map((name) => [
    name,
    asked[name]?.trim() || undefined,
  ])
  return { ...asked, ...Object.fromEntries(texts) }
}

/** What a contact has beside a seed: further columns, notes and visits. */
interface Rest {
  columns: Pick<Contact, 'title' | 'about' | 'extractedContacts'>
  notes: Pick<ContactNote, 'note' | 'createdAt'>[]
  touches: Pick<ContactTouch, 'utmSource' | 'channel' | 'raw' | 'occurredAt'>[]
}

const anyText = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll('\0', ''))
const texts = fc.array(anyText, { maxLength: 2 })
const rest: fc.Arbitrary<Rest> = fc.record({
  columns: fc.record({
    title: fc.option(anyText),
    about: fc.option(anyText),
    extractedContacts: fc.option(fc.record({ emails: texts, phones: texts, websites: texts })),
  }),
  notes: fc.array(fc.record({ note: anyText, createdAt: instant }), { maxLength: 3 }),
  touches: fc.array(
    fc.record({
      utmSource: fc.option(anyText),
      channel: fc.option(anyText),
      raw: fc.dictionary(fc.constantFrom('gclid', 'ü'), anyText),
      occurredAt: instant,
    }),
    { maxLength: 3 },
  ),
})

/** A new account with these contacts, in all their columns, and with what belongs to them. */
async function store(contacts: readonly Seed[], rests: readonly Rest[]) {
  const { accountId } = await makeTenant(service)
  const tags = await storeTags(service.database, accountId)
  const whole = contacts.map((contact, i) => ({ ...contact, ...rests[i]!.columns }))
  const ids = await storeSeeds(service.database, accountId, whole, tags)
  const em = service.database.forkFor(accountId)
  for (const [i, contact] of ids.entries()) {
    for (const note of rests[i]!.notes) em.create(ContactNote, { ...note, contact, accountId })
    for (const touch of rests[i]!.touches) em.create(ContactTouch, { ...touch, contact, accountId })
  }
  await em.flush()
  return { accountId, ids, tags, db: Scope.ofSystem(service.database, accountId) }
}

// Each run asks the ORM many times.
const FEWER = RUNS * 0.4

const enough = { minLength: 16, maxLength: 16 }

test(
  'lists of contacts are what MikroORM finds, for any data, filter, sort and page',
  async () => {
    let found = 0
    const queries = fc.array(query, { minLength: 6, maxLength: 6 })
    const property = fc.asyncProperty(seeds, fc.array(rest, enough), queries, async (contacts, rests, asked) => {
      const { accountId, tags, db } = await store(contacts, rests)
      for (const each of asked.map(trimmed)) {
        const tagIds = each.tags?.map((place) => tags[place]?.id ?? accountId) // no tag has the account's id
        const { items, pagination } = await contactReads.list(readerOf(db), forReads(each, tagIds), everything)
        const expected = await listThroughOrm(accountId, each, tagIds)
        expect({ items: items.map((row) => outward(row, ALL)), total: pagination.total }).toEqual(expected)
        found += items.length
      }
    })
    await fc.assert(property, { numRuns: FEWER })
    expect(found).toBeGreaterThan(FEWER) // else the queries would be too narrow to show anything
  },
  PROPERTY_TIMEOUT,
)

test(
  'one contact is what MikroORM finds, and nothing where it is of another account',
  async () => {
    const one = seeds.filter((list) => list.length > 0).map((list) => list.slice(0, 1))
    const stranger = await makeTenant(service)
    const property = fc.asyncProperty(one, rest, async (contacts, more) => {
      const { accountId, ids, db } = await store(contacts, [more])
      const id = ids[0]!
      const [expected] = await Scope.ofSystem(service.database, accountId).unitOfWork(async (em) =>
        throughOrm(em, [await em.findOneOrFail(Contact, { id, accountId })]),
      )
      expect(outward((await contactReads.find(db, id, everything))!, ALL)).toEqual(expected)
      expect(
        await contactReads.find(Scope.ofSystem(service.database, stranger.accountId), id, everything),
      ).toBeUndefined()
    })
    await fc.assert(property, { numRuns: FEWER })
  },
  PROPERTY_TIMEOUT,
)

test('a read brings the columns of its selection and the id, for any selection', async () => {
  const contacts = fc.sample(seeds, { numRuns: 50, seed: 1 }).find((list) => list.length > 5)!
  const { ids, db } = await store(contacts, fc.sample(rest, { numRuns: contacts.length, seed: 1 }))
  const selections = fc.subarray(ALL)
  const property = fc.asyncProperty(selections, fc.constantFrom(...ids), async (names, id) => {
    const columns = [...new Set(['id', ...names])].toSorted()
    const row = await contactReads.find(db, id, select(names))
    expect(Object.keys(row!).toSorted()).toEqual(columns)
    expect(outward(row!, names)).toEqual(outward((await contactReads.find(db, id, everything))!, names))
    const { items } = await contactReads.list(readerOf(db), { page: 1, limit: 100 }, select(names))
    const listed = items.find((item) => item.id === id)!
    expect(ALL.filter((name) => name in listed).toSorted()).toEqual(columns)
    expect(outward(listed, names)).toEqual(outward(row!, names))
  })
  await fc.assert(property, { numRuns: FEWER })
})

test('the page size is bounded for whoever calls the read', async () => {
  const { db } = await store([], [])
  const { pagination } = await contactReads.list(readerOf(db), { page: -1, limit: 1000 }, everything)
  expect(pagination).toEqual({
    page: 1,
    perPage: 100,
    total: 0,
    totalPages: 0,
    hasNext: false,
    hasPrev: false,
    nextCursor: null,
  })
})
