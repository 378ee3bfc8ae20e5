import { type RawBuilder, sql } from 'kysely'
import {
  contains,
  filterValues,
  isShortTerm,
  isSync,
  type PageQuery,
  PageReader,
  param,
  recentOf,
  type Scope,
  Statement,
  StatementCache,
  type Tally,
} from '../../database/index.js'
import type { Selection } from '../../kit/selection.js'
import { isUuid } from '../../shared/ids.js'
import { type Pagination, paginate, pagingOf } from '../../shared/paging.js'
import { SortOrder } from '../../shared/sorting.js'
import { type OpportunityRow, shapeOf } from './opportunity.columns.js'
import type { OpportunityFilter, OpportunitySort } from './opportunity.filter.js'
import { OpportunitySortField } from './opportunity.inputs.js'
import { type SharedRecords, sharedRecords, spreadShared } from './opportunity.names.js'
import { opportunityOwnerTally, opportunityTally } from './opportunity.tally.js'

/** Which opportunities, in which order, which part of them. */
export interface OpportunityQuery {
  filter?: OpportunityFilter | null
  sort?: OpportunitySort | null
  page: number
  limit: number
}

/** A page as the resolver returns it; `items` have what the selection asks for. */
export interface OpportunityPageRows {
  items: OpportunityRow[]
  pagination: Pagination
}

type Values = Record<string, unknown>
type Condition = RawBuilder<boolean>

const is = (column: string, name: string): Condition => sql`${sql.ref(column)} = ${param(name)}`

// Conditions of these are ids; one that cannot be an id matches nothing.
const IDS = ['stageId', 'pipelineId', 'campaignId', 'ownerUserId', 'sectorId', 'contactId'] as const

const CONDITIONS = {
  search: contains(sql`o.folded`, 'search'),
  // The company is the third text in there, after the second chr(1); no text holds one.
  company: sql<boolean>`o.folded like '%' || chr(1) || '%' || chr(1) || like_pattern(${param('company')})`,
  stageId: is('o.stage_id', 'stageId'),
  pipelineId: is('o.pipeline_id', 'pipelineId'),
  campaignId: is('o.campaign_id', 'campaignId'),
  ownerUserId: is('o.owner_user_id', 'ownerUserId'),
  sectorId: is('o.sector_id', 'sectorId'),
  contactId: is('o.contact_id', 'contactId'),
  isActive: sql<boolean>`(o.outcome <> 'lost') = ${param('isActive')}`,
  createdAfter: sql<boolean>`o.created_at >= ${param('createdAfter')}`,
  createdBefore: sql<boolean>`o.created_at <= ${param('createdBefore')}`,
  updatedAfter: sql<boolean>`o.updated_at >= ${param('updatedAfter')}`,
  updatedBefore: sql<boolean>`o.updated_at <= ${param('updatedBefore')}`,
  horizon: sql<boolean>`o.updated_at <= ${param('horizon')}`,
} satisfies Record<keyof OpportunityFilter | 'horizon', Condition>

/** The dimensions of the tallies, as conditions. */
const DIMENSIONS = {
  pipelineId: is('pipeline_id', 'pipelineId'),
  sectorId: is('sector_id', 'sectorId'),
  isActive: sql<boolean>`(outcome <> 'lost') = ${param('isActive')}`,
}
const TALLIES: { tally: Tally; dimensions: Partial<Record<keyof typeof CONDITIONS, Condition>> }[] = [
  { tally: opportunityTally, dimensions: { ...DIMENSIONS, stageId: is('stage_id', 'stageId') } },
  { tally: opportunityOwnerTally, dimensions: { ...DIMENSIONS, ownerUserId: is('owner_user_id', 'ownerUserId') } },
]

/** The tally that knows how many meet conditions of these names, if one does. */
function talliedBy(names: readonly (keyof typeof CONDITIONS)[]): PageQuery['tallied'] {
  const found = TALLIES.find(({ dimensions }) => names.every((name) => name in dimensions))
  return found && { tally: found.tally, conditions: names.map((name) => found.dimensions[name]!) }
}

/** Each of these has an index that goes on with the moment of creation. */
const ORDERED: readonly (keyof typeof CONDITIONS)[] = ['stageId', 'pipelineId', 'ownerUserId']

/** Conditions for which there is an index of trigrams. */
const INDEXED_TEXTS: readonly (keyof typeof CONDITIONS)[] = ['search', 'company']

const CONDITION_NAMES = Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]

const SORT_COLUMNS: Record<OpportunitySortField, string> = {
  [OpportunitySortField.CREATED_AT]: 'created_at',
  [OpportunitySortField.UPDATED_AT]: 'updated_at',
  [OpportunitySortField.TITLE]: 'title_key',
  [OpportunitySortField.VALUE]: 'value',
}

const matchesNothing = (values: Values) =>
  IDS.some((name) => values[name] !== undefined && !isUuid(values[name] as string))

const pages = new PageReader<OpportunityRow & { shared?: SharedRecords }>({
  table: 'opportunity',
  alias: 'o',
  tally: opportunityTally,
})

/** One page of opportunities with the exact total, in one statement (two when the page is past the end). */
export async function listOpportunities(
  db: Scope,
  query: OpportunityQuery,
  selection: Selection,
): Promise<OpportunityPageRows> {
  const paging = pagingOf(query.page, query.limit)
  const values = filterValues(query.filter ?? {})
  if (matchesNothing(values)) return { items: [], pagination: paginate(paging, 0) }
  if (isSync(query.sort, values)) values.horizon = await db.syncHorizon()

  const by = query.sort?.by ?? OpportunitySortField.CREATED_AT
  const descending = (query.sort?.order ?? SortOrder.DESC) === SortOrder.DESC
  const names = CONDITION_NAMES.filter((name) => name in values)
  const tallied = talliedBy(names)
  const selective = !tallied && !isShortTerm(values.search)
  const shape = shapeOf(selection, 'list')
  const name = `${by} ${descending} ${selective} ${names.join('+')} ${shape.name}`
  const found = await pages.read(
    db,
    paging,
    name,
    () => ({
      conditions: names.map((condition) => CONDITIONS[condition]),
      sort: { column: SORT_COLUMNS[by], nullable: false, descending },
      columns: shape.columns,
      joins: shape.joins,
      shared: shape.shared.length > 0 ? sharedRecords(shape.shared) : undefined,
      tallied,
      recent: recentOf(CONDITIONS, names, INDEXED_TEXTS),
      selective,
      ordered: names.length === 1 && ORDERED.includes(names[0]!) && by === OpportunitySortField.CREATED_AT,
    }),
    values,
  )
  spreadShared(found.items, shape.shared)
  return found
}

const gets = new StatementCache<OpportunityRow>()

/** One opportunity of the account with what the selection asks for, in one statement; undefined where there is none. */
export async function getOpportunity(db: Scope, id: string, selection: Selection): Promise<OpportunityRow | undefined> {
  if (!isUuid(id)) return undefined
  const shape = shapeOf(selection, 'one')
  const statement = gets.get(shape.name, () => {
    const query = sql<OpportunityRow>`select ${sql.join(shape.columns)} from opportunity o ${shape.joins}
      where o.account_id = ${param('account')} and o.id = ${param('id')}`
    return new Statement<OpportunityRow>(query, { prepared: true })
  })
  return (await db.rows(statement, { id }))[0]
}
