import { sql } from 'kysely'
import { PageReader, param, type Scope, Statement } from '../../database/index.js'
import { notFound } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { type Pagination, pagingOf } from '../../shared/paging.js'
import type { OpportunityHistory } from './parts.entity.js'

/** A page of steps as the resolver returns it. */
export interface HistoryPageRows {
  items: OpportunityHistory[]
  pagination: Pagination
}

const pages = new PageReader<OpportunityHistory>({ table: 'opportunity_history', alias: 'h' })
const columns = [
  sql`h.id, h.action, h.from_stage_id as "fromStageId", h.from_stage_name as "fromStageName",
    h.to_stage_id as "toStageId", h.to_stage_name as "toStageName", h.from_value::float8 as "fromValue",
    h.to_value::float8 as "toValue", h.notes, h.user_name as "userName", h.created_at as "createdAt"`,
]
const conditions = [sql<boolean>`h.opportunity_id = ${param('opportunityId')}`]
const sort = { column: 'created_at', nullable: false, descending: true }

const exists = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from opportunity where account_id = ${param('account')} and id = ${param('id')}`,
  { prepared: true },
)

/** One page of the steps of an opportunity, newest first, in one statement; NOT_FOUND where there is none such. */
export async function listHistory(
  db: Scope,
  opportunityId: string,
  page: number,
  limit: number,
): Promise<HistoryPageRows> {
  if (!isUuid(opportunityId)) throw notFound('opportunity')
  const query = () => ({ conditions, sort, columns })
  const found = await pages.read(db, pagingOf(page, limit), 'all', query, { opportunityId })
  // Each opportunity has the step of its creation.
  if (found.pagination.total === 0 && !(await db.rows(exists, { id: opportunityId }))[0]) throw notFound('opportunity')
  return found
}
