import { sql } from 'kysely'
import { contains, owned, Reads, refersTo, since, until, where } from '../../kit/reads/index.js'
import { OpportunityComment } from './comment.entity.js'
import { Opportunity } from './opportunity.entity.js'
import { OpportunitySortField } from './opportunity.inputs.js'
import { opportunityOwnerTally, opportunityTally } from './opportunity.tally.js'
import type { OpportunityFilter } from './opportunity-filter.inputs.js'
import { OpportunityProduct } from './product-line.entity.js'

/** An opportunity as a read brings it: the columns that were asked for, and what belongs to it. */
export type OpportunityRow = Partial<Opportunity> & {
  id: string
  products?: OpportunityProduct[]
  comments?: OpportunityComment[]
}

const [shared, text] = [true, true]
const leadsTo = OpportunitySortField.CREATED_AT

/** The reads of opportunities. */
export const opportunityReads = new Reads<OpportunityRow, OpportunityFilter, OpportunitySortField>({
  entity: Opportunity,
  relations: {
    // A stage is of one pipeline, so a page comes to its pipelines by way of the stages.
    pipeline: { by: 'pipelineId', labels: { pipelineName: 'name' }, byWayOf: 'stage' },
    stage: { by: 'stageId', labels: { stageName: 'name' }, shared },
    campaign: { by: 'campaignId', labels: { campaignName: 'name' }, shared },
    owner: { by: 'ownerUserId', labels: { ownerUserName: 'name', ownerUserEmail: 'email' }, shared },
    sector: { by: 'sectorId', labels: { sectorName: 'name' }, shared },
    discardReason: { by: 'discardReasonId', labels: { discardReasonName: 'name' }, shared },
    contact: { by: 'contactId' }, // what is shown of it is kept on the opportunity itself
  },
  children: {
    products: owned(OpportunityProduct, 'opportunityId', 'createdAt'),
    comments: owned(OpportunityComment, 'opportunityId', 'createdAt'),
  },
  own: refersTo('ownerUserId', { leadsTo }),
  filters: {
    search: contains((of) => of('folded'), { text }),
    // The company is the third text in there, after the second chr(1); no text holds one.
    company: where((of, value) => sql`${of('folded')} like '%' || chr(1) || '%' || chr(1) || like_pattern(${value})`, {
      text,
    }),
    stageId: refersTo('stageId', { leadsTo }),
    pipelineId: refersTo('pipelineId', { leadsTo }),
    campaignId: refersTo('campaignId'),
    ownerUserId: refersTo('ownerUserId', { leadsTo }),
    sectorId: refersTo('sectorId'),
    contactId: refersTo('contactId'),
    isActive: where((of, value) => sql`(${of('outcome')} <> 'lost') = ${value}`),
    createdAfter: since('createdAt'),
    createdBefore: until('createdAt'),
    updatedAfter: since('updatedAt', { recent: 'updated_at' }),
    updatedBefore: until('updatedAt'),
  } satisfies Record<keyof OpportunityFilter, unknown>,
  sorts: {
    [OpportunitySortField.CREATED_AT]: 'createdAt',
    [OpportunitySortField.UPDATED_AT]: 'updatedAt',
    [OpportunitySortField.TITLE]: { text: 'title' },
    [OpportunitySortField.VALUE]: 'value',
  },
  tallies: [opportunityTally, opportunityOwnerTally],
  syncs: [{ after: 'updatedAfter', by: OpportunitySortField.UPDATED_AT }],
})
