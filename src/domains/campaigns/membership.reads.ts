import { sql } from 'kysely'
import { hasWord, Reads, refersTo, where } from '../../kit/reads/index.js'
import { isContactOf } from '../contacts/index.js'
import { CampaignContact } from './campaign.entity.js'

/** A membership as a read brings it. */
export type CampaignContactRow = Omit<CampaignContact, 'accountId'>

/** Of which campaign, and in which state. */
export interface CampaignContactFilter {
  campaignId: string
  status?: string | null
}

const live = where(
  (of, value) => sql`${of('campaign_id')} = ${value} and exists (select from campaign c
    where c.account_id = ${of('account_id')} and c.id = ${of('campaign_id')} and c.deleted_at is null)`,
  { prepare: refersTo('campaignId').prepare },
)

/** The reads of the contacts of campaigns; none where there is no such campaign. */
export const membershipReads = new Reads<CampaignContactRow, CampaignContactFilter>({
  entity: CampaignContact,
  own: where((of, seller) => isContactOf(seller, of('contact_id'))),
  filters: { campaignId: live, status: hasWord('status') } satisfies Record<keyof CampaignContactFilter, unknown>,
  sorts: { created_at: 'createdAt' },
})
