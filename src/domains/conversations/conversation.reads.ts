import { type RawBuilder, sql } from 'kysely'
import { filterValues, PageReader, param, type Scope, Statement, StatementCache } from '../../database/index.js'
import type { Selection } from '../../kit/selection.js'
import { isUuid } from '../../shared/ids.js'
import { type Pagination, paginate, pagingOf } from '../../shared/paging.js'
import { type ConversationRow, partsOf } from './conversation.columns.js'
import type { ConversationFilter } from './conversation.inputs.js'
import { conversationTally } from './conversation.tally.js'

/** Which conversations, and which part of them. */
export interface ConversationQuery {
  filter?: ConversationFilter | null
  page: number
  limit: number
}

/** A page as the resolver returns it; `items` have what the selection asks for. */
export interface ConversationPageRows {
  items: ConversationRow[]
  pagination: Pagination
}

type Values = Record<string, unknown>

const CONDITIONS = {
  contactId: sql<boolean>`c.contact_id = ${param('contactId')}`,
  opportunityId: sql<boolean>`c.opportunity_id = ${param('opportunityId')}`,
  campaignId: sql<boolean>`c.campaign_id = ${param('campaignId')}`,
  assignedUserId: sql<boolean>`c.assigned_user_id = ${param('assignedUserId')}`,
  status: sql<boolean>`c.status = ${param('status')}`,
  channel: sql<boolean>`upper(c.channel) = upper(${param('channel')})`,
  isGroup: sql<boolean>`c.is_group = ${param('isGroup')}`,
  createdAfter: sql<boolean>`c.created_at >= ${param('createdAfter')}`,
  createdBefore: sql<boolean>`c.created_at <= ${param('createdBefore')}`,
  updatedAfter: sql<boolean>`c.updated_at >= ${param('updatedAfter')}`,
  updatedBefore: sql<boolean>`c.updated_at <= ${param('updatedBefore')}`,
  lastMessageAfter: sql<boolean>`c.last_message_at >= ${param('lastMessageAfter')}`,
  lastMessageBefore: sql<boolean>`c.last_message_at <= ${param('lastMessageBefore')}`,
} satisfies Record<keyof ConversationFilter, RawBuilder<boolean>>

type ConditionName = keyof typeof CONDITIONS
const CONDITION_NAMES = Object.keys(CONDITIONS) as ConditionName[]

const IDS = ['contactId', 'opportunityId', 'campaignId', 'assignedUserId'] as const satisfies readonly ConditionName[]

/** What many conversations have in common, so that a page of them is sooner read off the order of the list. */
const COMMON: readonly ConditionName[] = ['status', 'channel', 'isGroup', 'createdAfter', 'createdBefore']

/** The filter's values as the statement takes them. */
function valuesOf(filter: ConversationFilter): Values {
  const values = filterValues(filter)
  if (typeof values.status === 'string') values.status = values.status.toLowerCase()
  return values
}

const pages = new PageReader<ConversationRow>({ table: 'conversation', alias: 'c', tally: conversationTally })
const sort = { column: 'created_at', nullable: false, descending: true }

/** One page of conversations, newest first, with the exact total, in one statement (two when it is past the end). */
export async function listConversations(
  db: Scope,
  query: ConversationQuery,
  selection: Selection,
): Promise<ConversationPageRows> {
  const paging = pagingOf(query.page, query.limit)
  const values = valuesOf(query.filter ?? {})
  if (IDS.some((name) => name in values && !isUuid(values[name]))) return { items: [], pagination: paginate(paging, 0) }

  const names = CONDITION_NAMES.filter((name) => name in values)
  const { columns, joins, shape } = partsOf(selection)
  const build = () => ({
    conditions: names.map((name) => CONDITIONS[name]),
    sort,
    columns,
    joins,
    selective: names.some((name) => !COMMON.includes(name)),
  })
  return pages.read(db, paging, `${names.join('+')} ${shape}`, build, values)
}

const gets = new StatementCache<ConversationRow>()

/** One conversation of the account with what the selection asks for; undefined where there is none. */
export async function getConversation(
  db: Scope,
  id: string,
  selection: Selection,
): Promise<ConversationRow | undefined> {
  if (!isUuid(id)) return undefined
  const { columns, joins, shape } = partsOf(selection)
  const statement = gets.get(shape, () => {
    const query = sql<ConversationRow>`select ${sql.join(columns)} from conversation c ${joins}
      where c.account_id = ${param('account')} and c.id = ${param('id')}`
    return new Statement<ConversationRow>(query, { prepared: true })
  })
  return (await db.rows(statement, { id }))[0]
}
