import { type ListQuery, type PageOf, type Reader, Reads, refersTo, where } from '../../kit/reads/index.js'
import { notFound } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { OpportunityHistory } from './history.entity.js'
import { opportunityReads } from './opportunity.reads.js'
import { isOpportunityOf } from './opportunity-own.service.js'

/** Which opportunity's steps, and which part of them. */
export type HistoryQuery = Pick<ListQuery<object, string>, 'page' | 'limit' | 'cursor'> & { opportunityId: string }

const steps = new Reads<OpportunityHistory, Pick<HistoryQuery, 'opportunityId'>>({
  entity: OpportunityHistory,
  own: where((of, seller) => isOpportunityOf(seller, of('opportunity_id'))),
  filters: { opportunityId: refersTo('opportunityId') },
  sorts: { created_at: 'createdAt' },
})

const NOTHING = new Map()

/** One page of the steps of an opportunity, newest first, in one statement; NOT_FOUND where there is none such. */
export async function listHistory(
  reader: Reader,
  { opportunityId, ...paging }: HistoryQuery,
): Promise<PageOf<OpportunityHistory>> {
  if (!isUuid(opportunityId)) throw notFound('opportunity')
  const found = await steps.list(reader, { filter: { opportunityId }, ...paging })
  // Each opportunity has the step of its creation.
  const isEmpty = found.items.length === 0 && found.pagination.total === 0
  if (isEmpty && !(await opportunityReads.find(reader.db, opportunityId, NOTHING))) throw notFound('opportunity')
  return found
}
