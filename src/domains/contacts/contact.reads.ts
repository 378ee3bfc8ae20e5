import { type RawBuilder, sql } from 'kysely'
import {
  contains,
  filterValues,
  isShortTerm,
  isSync,
  PageReader,
  param,
  recentOf,
  type Scope,
  Statement,
  StatementCache,
} from '../../database/index.js'
import type { Selection } from '../../kit/selection.js'
import { isUuid } from '../../shared/ids.js'
import { type Pagination, paginate, pagingOf } from '../../shared/paging.js'
import { SortOrder } from '../../shared/sorting.js'
import { type ContactRow, contactColumns, shapeOf } from './contact.columns.js'
import { type ContactFilter, type ContactSort, ContactSortField } from './contact.inputs.js'
import { type ListedContact, pageTags, spreadTags, tagIdsColumn } from './contact.tags.js'
import { contactTally } from './contact.tally.js'

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

// The texts of `folded` are name, email and company, with chr(1) between them, which no text holds.
const CONDITIONS = {
  search: contains(sql`c.folded`, 'search'),
  company: sql<boolean>`c.folded like '%' || chr(1) || '%' || chr(1) || like_pattern(${param('company')})`,
  email: sql<boolean>`c.folded like '%' || chr(1) || like_pattern(${param('email')}) || chr(1) || '%'`,
  phone: sql<boolean>`c.phone_digits like '%' || ${param('phone')} || '%'`,
  source: sql<boolean>`lower(c.source) = lower(${param('source')})`,
  tagIds: sql<boolean>`exists (select from contact_tag ct where ct.contact_id = c.id
    and ct.tag_id = any(${param('tagIds')}::uuid[]))`,
  createdAfter: sql<boolean>`c.created_at >= ${param('createdAfter')}`,
  createdBefore: sql<boolean>`c.created_at <= ${param('createdBefore')}`,
  updatedAfter: sql<boolean>`c.updated_at >= ${param('updatedAfter')}`,
  updatedBefore: sql<boolean>`c.updated_at <= ${param('updatedBefore')}`,
  horizon: sql<boolean>`c.updated_at <= ${param('horizon')}`,
} satisfies Record<keyof ContactFilter | 'horizon', Condition>

/** Conditions for which there is an index of trigrams. */
const INDEXED_TEXTS: readonly (keyof typeof CONDITIONS)[] = ['search', 'company', 'email', 'phone']

const CONDITION_NAMES = Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]

const SORT_COLUMNS: Record<ContactSortField, { column: string; nullable: boolean }> = {
  [ContactSortField.CREATED_AT]: { column: 'created_at', nullable: false },
  [ContactSortField.UPDATED_AT]: { column: 'updated_at', nullable: false },
  [ContactSortField.NAME]: { column: 'name_key', nullable: false },
  [ContactSortField.COMPANY]: { column: 'company_key', nullable: true },
  [ContactSortField.LAST_INTERACTION]: { column: 'last_interaction', nullable: true },
}

/** The filter's values as the statement takes them: of a phone its digits, of tags those that can be one. */
function valuesOf(filter: ContactFilter): Values {
  const values = filterValues(filter)
  if (typeof values.phone === 'string') values.phone = values.phone.replace(/[^0-9]/g, '')
  if (Array.isArray(values.tagIds)) values.tagIds = values.tagIds.filter(isUuid)
  return values
}

/** A phone without digits or a tag that cannot be one matches nothing. */
function matchesNothing({ phone, tagIds }: Values): boolean {
  return phone === '' || (Array.isArray(tagIds) && tagIds.length === 0)
}

const pages = new PageReader<ListedContact>({ table: 'contact', alias: 'c', tally: contactTally })

/** One page of contacts with the exact total, in one statement (two when the page is past the end). */
export async function listContacts(db: Scope, query: ContactQuery, selection: Selection): Promise<ContactPageRows> {
  const paging = pagingOf(query.page, query.limit)
  const values = valuesOf(query.filter ?? {})
  if (matchesNothing(values)) return { items: [], pagination: paginate(paging, 0) }
  if (isSync(query.sort, values)) values.horizon = await db.syncHorizon()

  const by = query.sort?.by ?? ContactSortField.CREATED_AT
  const descending = (query.sort?.order ?? SortOrder.DESC) === SortOrder.DESC
  const selective = !isShortTerm(values.search)
  const names = CONDITION_NAMES.filter((name) => name in values)
  const tagged = selection.has('tags')
  const shape = `${by} ${descending} ${selective} ${names.join('+')} ${shapeOf(selection)}`
  const build = () => ({
    conditions: names.map((name) => CONDITIONS[name]),
    sort: { ...SORT_COLUMNS[by], descending },
    columns: [...contactColumns(selection, 'tags'), ...(tagged ? [tagIdsColumn] : [])],
    shared: tagged ? pageTags : undefined,
    recent: recentOf(CONDITIONS, names, INDEXED_TEXTS),
    selective,
  })
  const page = await pages.read(db, paging, shape, build, values)
  if (tagged) spreadTags(page.items)
  return page
}

const gets = new StatementCache<ContactRow>()

/** One contact of the account with what the selection asks for, in one statement; undefined where there is none. */
export async function getContact(db: Scope, id: string, selection: Selection): Promise<ContactRow | undefined> {
  if (!isUuid(id)) return undefined
  const statement = gets.get(shapeOf(selection), () => {
    const query = sql<ContactRow>`select ${sql.join(contactColumns(selection))} from contact c
      where c.account_id = ${param('account')} and c.id = ${param('id')}`
    return new Statement<ContactRow>(query, { prepared: true })
  })
  return (await db.rows(statement, { id }))[0]
}
