import { type RawBuilder, sql } from 'kysely'
import { param, type Scope, Statement, StatementCache } from '../../database/index.js'
import { isUuid } from '../../shared/ids.js'
import { type Pagination, type Paging, paginate, pagingOf } from '../../shared/paging.js'
import type { Selection } from '../../shared/selection.js'
import { SortOrder } from '../../shared/sorting.js'
import { build, type ContactRow, contactColumns, shapeOf } from './contact.columns.js'
import { type ContactFilter, type ContactSort, ContactSortField } from './contact.inputs.js'

/** Which contacts, in which order, which part of them. */
export interface ContactQuery {
  filter?: ContactFilter | null
  sort?: ContactSort | null
  page: number
  limit: number
}

/** A page as the resolver returns it; `items` have what the selection asks for. */
export interface ContactPageRows {
  items: ContactRow[]
  pagination: Pagination
}

type Values = Record<string, unknown>
type Condition = RawBuilder<boolean>

const contains = (text: RawBuilder<unknown>, name: string): Condition => sql`${text} like like_pattern(${param(name)})`
const folded = sql`c.folded`

// Email and company stand in `folded` too, whose index finds the candidates.
const CONDITIONS = {
  search: contains(folded, 'search'),
  company: sql<boolean>`${contains(folded, 'company')} and ${contains(sql`c.company_key`, 'company')}`,
  email: sql<boolean>`${contains(folded, 'email')} and ${contains(sql`fold(c.email)`, 'email')}`,
  phone: sql<boolean>`c.phone_digits like '%' || ${param('phone')} || '%'`,
  source: sql<boolean>`lower(c.source) = lower(${param('source')})`,
  tagIds: sql<boolean>`exists (select from contact_tag ct where ct.contact_id = c.id
    and ct.tag_id = any(${param('tagIds')}::uuid[]))`,
  createdAfter: sql<boolean>`c.created_at >= ${param('createdAfter')}`,
  createdBefore: sql<boolean>`c.created_at <= ${param('createdBefore')}`,
  updatedAfter: sql<boolean>`c.updated_at >= ${param('updatedAfter')}`,
  updatedBefore: sql<boolean>`c.updated_at <= ${param('updatedBefore')}`,
} satisfies Record<keyof ContactFilter, Condition>

type FilterName = keyof typeof CONDITIONS
const FILTERS = Object.keys(CONDITIONS) as FilterName[]

const SORT_COLUMNS: Record<ContactSortField, { column: string; nullable: boolean }> = {
  [ContactSortField.CREATED_AT]: { column: 'created_at', nullable: false },
  [ContactSortField.UPDATED_AT]: { column: 'updated_at', nullable: false },
  [ContactSortField.NAME]: { column: 'name_key', nullable: false },
  [ContactSortField.COMPANY]: { column: 'company_key', nullable: true },
  [ContactSortField.LAST_INTERACTION]: { column: 'last_interaction', nullable: true },
}

/** The values of the conditions that are given, as the statement takes them. */
function filterValues(filter: ContactFilter): Values {
  const values: Values = {}
  for (const name of FILTERS) {
    const value = filter[name]
    if (value === null || value === undefined) continue
    if (name === 'phone') values.phone = (value as string).replace(/[^0-9]/g, '')
    else if (name === 'tagIds') values.tagIds = (value as string[]).filter(isUuid)
    else if (typeof value === 'object' && 'from' in value) values[name] = name.endsWith('After') ? value.from : value.to
    else values[name] = value
  }
  return values
}

/** A phone without digits or a tag that cannot be one matches nothing. */
function matchesNothing({ phone, tagIds }: Values): boolean {
  return phone === '' || (Array.isArray(tagIds) && tagIds.length === 0)
}

interface Shape {
  names: FilterName[]
  column: string
  order: RawBuilder<unknown>
  selection: Selection
  later: boolean
}

const lists = new StatementCache<ContactRow & { total: number }>()
const counts = new StatementCache<{ total: number }>()

/** One page of contacts with the exact total, in one statement (two when the page is past the end). */
export async function listContacts(db: Scope, query: ContactQuery, selection: Selection): Promise<ContactPageRows> {
  const paging = pagingOf(query.page, query.limit)
  const filters = filterValues(query.filter ?? {})
  if (matchesNothing(filters)) return { items: [], pagination: paginate(paging, 0) }

  const names = FILTERS.filter((name) => name in filters)
  const values = { ...filters, account: db.accountId, limit: paging.limit, offset: paging.offset }
  const items = await db.rows(listStatement(names, query.sort ?? {}, paging, selection), values)
  const total = items[0]?.total ?? (paging.page === 1 ? 0 : await countContacts(db, names, values))
  return { items, pagination: paginate(paging, total) }
}

async function countContacts(db: Scope, names: FilterName[], values: Values): Promise<number> {
  const statement = counts.get(names.join(), () => {
    const query = matching(names).select(sql<number>`count(*)::int`.as('total'))
    return new Statement(query, { prepared: names.length === 0 })
  })
  return (await db.rows(statement, values))[0]!.total
}

function listStatement(names: FilterName[], sort: ContactSort, paging: Paging, selection: Selection) {
  const by = sort.by ?? ContactSortField.CREATED_AT
  const descending = (sort.order ?? SortOrder.DESC) === SortOrder.DESC
  const later = paging.offset > 0
  const shape = [by, descending, later, names.join('+'), shapeOf(selection)].join('|')
  return lists.get(shape, () => {
    const { column, nullable } = SORT_COLUMNS[by]
    const direction = sql.raw(descending ? `desc${nullable ? ' nulls last' : ''}` : 'asc')
    const order = sql`page.${sql.ref(column)} ${direction}, page.id ${sql.raw(descending ? 'desc' : 'asc')}`
    return compileList({ names, column, order, selection, later })
  })
}

function matching(names: readonly FilterName[]) {
  let query = build.selectFrom('contact as c').where('c.account_id', '=', param('account'))
  for (const name of names) query = query.where(CONDITIONS[name])
  return query
}

/**
 * The page's ids come first, from an index where there is one, and the records are joined to them: what is skipped is
 * never read. With filters the matches are found once, for the page and for the total.
 */
function compileList({ names, column, order, selection, later }: Shape): Statement<ContactRow & { total: number }> {
  const filtered = names.length > 0
  const candidates = matching(names).select(['c.id', sql.ref(`c.${column}`).as(column)])
  const everyone = matching([]).select(sql`count(*)::int`.as('total'))
  const query = sql<ContactRow & { total: number }>`
    with matches as ${sql.raw(filtered ? 'materialized' : 'not materialized')} (${candidates}),
    page as (select * from matches page order by ${order} limit ${param('limit')} ${later ? sql`offset ${param('offset')}` : sql``})
    select ${filtered ? sql`(select count(*)::int from matches)` : sql`(${everyone})`} as total, ${columnList(selection)}
    from page join contact c on c.id = page.id
    order by ${order}`
  return new Statement(query, { prepared: !filtered && !later })
}

function columnList(selection: Selection): RawBuilder<unknown> {
  return sql.join(contactColumns(selection))
}

const gets = new StatementCache<ContactRow>()

/** One contact of the account with what the selection asks for, in one statement; undefined where there is none. */
export async function getContact(db: Scope, id: string, selection: Selection): Promise<ContactRow | undefined> {
  if (!isUuid(id)) return undefined
  const statement = gets.get(shapeOf(selection), () => {
    const query = matching([])
      .where('c.id', '=', param('id'))
      .select(contactColumns(selection) as never)
    return new Statement<ContactRow>(query as never, { prepared: true })
  })
  return (await db.rows(statement, { account: db.accountId, id }))[0]
}
