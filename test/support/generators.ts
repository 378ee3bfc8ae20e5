import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import fc from 'fast-check'
import type { Database } from '../../src/database/index.js'
import { Contact, ContactTag } from '../../src/domains/contacts/index.js'
import { Tag } from '../../src/domains/reference/index.js'

/** How often a property is tried: more often in the full run. */
export const RUNS = process.env.FULL === 'true' ? 1000 : 40

/** Milliseconds that a property's test may take, on a machine that does much else besides. */
export const PROPERTY_TIMEOUT = process.env.FULL === 'true' ? 1_800_000 : 180_000

const TAGS = 3

/** A contact to be stored as it is, its stamps too. */
export interface Seed {
  /** Begins the id, so that the order of ids is part of the seed. */
  rank: number
  name: string
  email: string | null
  phone: string | null
  company: string | null
  source: string
  sourceChannel: string | null
  customFields: Record<string, unknown> | null
  lastInteraction: Date | null
  createdAt: Date
  updatedAt: Date
  /** Which of the tags it carries, by their places. */
  tags: number[]
}

// Few characters, so that short terms often match and sort keys often tie; among them all that could be special.
const CHARACTERS = ['a', 'A', 'á', 'Ã', 'b', 'B', 'ç', 'Ç', 'ñ', '%', '_', '\\', ' ', '.', '-', "'", '1', 'é', 'e']
const START = Date.parse('2026-03-01T12:00:00.000Z')

const text = (maxLength: number) => fc.string({ unit: fc.constantFrom(...CHARACTERS), minLength: 1, maxLength })
const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom('0', '1', '2', '1', '+', '-', ' ', '(', ')'), minLength: 1, maxLength })
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 3 })
const source = fc.constantFrom('api', 'API', 'form', 'Form', 'Índice', 'índice', 'indice')

/** One of a handful of neighbouring milliseconds. */
export const instant = fc.nat({ max: 6 }).map((ms) => new Date(START + ms))

const term = text(3)
const phoneTerm = digits(4)

const seed: fc.Arbitrary<Seed> = fc.record({
  rank: fc.nat({ max: 0xffffffff }),
  name: text(5),
  email: nullable(text(4).map((local) => `${local}@${local.length % 2 ? 'á' : 'b'}.com`)),
  phone: nullable(digits(8)),
  company: nullable(text(4)),
  source,
  sourceChannel: nullable(fc.constantFrom('linkedin', 'whatsapp')),
  customFields: nullable(fc.dictionary(fc.constantFrom('a', 'ç', ''), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 })),
  lastInteraction: nullable(instant),
  createdAt: instant,
  updatedAt: instant,
  tags: fc.uniqueArray(fc.nat({ max: TAGS - 1 })),
})

/** The contacts of an account, no two with the same email. */
export const seeds: fc.Arbitrary<Seed[]> = fc
  .array(seed, { maxLength: 16, size: 'max' })
  .map((list) => list.map((one, i) => ({ ...one, email: isFirstWith(list, i) ? one.email : null })))

function isFirstWith(list: readonly Seed[], at: number): boolean {
  const key = list[at]!.email?.toLowerCase()
  return list.findIndex(({ email }) => email?.toLowerCase() === key) === at
}

/** What of a list of contacts is asked for, in the names of the REST API. */
export interface Query {
  search?: string
  company?: string
  email?: string
  phone?: string
  source?: string
  /** Places of tags; a place that no tag has stands for an id that is unknown. */
  tags?: number[]
  created_after?: Date
  created_before?: Date
  updated_after?: Date
  updated_before?: Date
  sort_by?: SortField
  sort_order?: 'asc' | 'desc'
  page: number
  limit: number
}

export const SORT_FIELDS = ['created_at', 'updated_at', 'name', 'company', 'last_interaction'] as const
type SortField = (typeof SORT_FIELDS)[number]

const conditions = {
  search: term,
  company: term,
  email: term,
  phone: phoneTerm,
  source,
  tags: fc.uniqueArray(fc.nat({ max: TAGS }), { minLength: 1 }),
  created_after: instant,
  created_before: instant,
  updated_after: instant,
  updated_before: instant,
}
const NAMES = Object.keys(conditions) as (keyof typeof conditions)[]

/** A query with so many of the conditions. */
function asking(minLength: number, maxLength: number): fc.Arbitrary<Query> {
  const view = fc.record({
    sort_by: fc.option(fc.constantFrom(...SORT_FIELDS), { nil: undefined }),
    sort_order: fc.option(fc.constantFrom('asc', 'desc'), { nil: undefined }),
    page: fc.integer({ min: 1, max: 4 }),
    limit: fc.integer({ min: 1, max: 7 }),
  })
  return fc
    .tuple(view, fc.record(conditions), fc.subarray(NAMES, { minLength, maxLength }))
    .map(([shown, values, names]) => ({ ...shown, ...Object.fromEntries(names.map((name) => [name, values[name]])) }))
}

/** Mostly with few conditions, since many together hardly ever match anything. */
export const query: fc.Arbitrary<Query> = fc.oneof(
  { weight: 1, arbitrary: asking(0, 0) },
  { weight: 5, arbitrary: asking(1, 2) },
  { weight: 1, arbitrary: asking(3, NAMES.length) },
)

/** Text as searches and sorts see it; right for the characters that are generated here. */
export const fold = (value: string) =>
  value
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()

/** As many tags of the account as the generated contacts draw from, in the order of their names. */
export async function storeTags(database: Database, accountId: string): Promise<Tag[]> {
  const em = database.fork()
  const tags = Array.from({ length: TAGS }, (_, i) => em.create(Tag, { accountId, name: `Tag ${i}`, color: 'red' }))
  await em.flush()
  return tags
}

/** Stores contacts as they are, with further columns where they have any, and returns their ids in the same order. */
export async function storeSeeds(
  database: Database,
  accountId: string,
  list: readonly Seed[],
  tags: readonly Tag[] = [],
): Promise<string[]> {
  const ids = list.map(({ rank }) => rank.toString(16).padStart(8, '0') + randomUUID().slice(8))
  const links = list.flatMap((one, i) =>
    one.tags.map((place) => ({ contact: ids[i]!, tag: tags[place]!.id, accountId })),
  )
  const rows = list.map(({ rank, tags: _, ...fields }, i) => ({ ...fields, id: ids[i]!, accountId }))
  await database.fork().transactional(async (em) => {
    if (rows.length > 0) await em.insertMany(Contact, rows)
    if (links.length > 0) await em.insertMany(ContactTag, links)
    await keepUpdatedAt(em, rows)
  })
  return ids
}

/** The database puts its own time where a row is written; this puts back what was given, with the triggers off. */
async function keepUpdatedAt(em: EntityManager, rows: readonly { id: string; updatedAt: Date }[]): Promise<void> {
  const values = rows.map(({ id, updatedAt }) => `('${id}'::uuid, '${updatedAt.toISOString()}'::timestamptz)`)
  if (values.length === 0) return
  await em.execute('set local session_replication_role = replica')
  await em.execute(`update contact c set updated_at = v.at from (values ${values.join()}) v(id, at) where c.id = v.id`)
}
