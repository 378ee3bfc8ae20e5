import { sql } from 'kysely'
import { PageReader, param, type Scope, Statement } from '../../database/index.js'
import { isUuid } from '../../shared/ids.js'
import { type Pagination, paginate, pagingOf } from '../../shared/paging.js'
import type { CampaignContact } from './campaign.entity.js'

/** A membership as a read brings it. */
export type CampaignContactRow = Omit<CampaignContact, 'accountId'>

/** A page as the resolver returns it. */
export interface CampaignContactPageRows {
  items: CampaignContactRow[]
  pagination: Pagination
}

/** The columns of a membership `m`. */
export const membershipColumns = sql`m.id, m.campaign_id as "campaignId", m.contact_id as "contactId", m.status,
  m.created_at as "createdAt", m.updated_at as "updatedAt"`

const ofCampaign = sql<boolean>`m.campaign_id = ${param('campaignId')} and exists (select from campaign c
  where c.account_id = m.account_id and c.id = m.campaign_id and c.deleted_at is null)`
const inStatus = sql<boolean>`m.status = lower(${param('status')})`

const pages = new PageReader<CampaignContactRow>({ table: 'campaign_contact', alias: 'm' })
const sort = { column: 'created_at', nullable: false, descending: true }

/** One page of the contacts of a campaign, the latest first, with the exact total; none where there is no such campaign. */
export async function listCampaignContacts(
  db: Scope,
  { campaignId, status, page, limit }: { campaignId: string; status?: string | null; page: number; limit: number },
): Promise<CampaignContactPageRows> {
  const paging = pagingOf(page, limit)
  if (!isUuid(campaignId)) return { items: [], pagination: paginate(paging, 0) }
  const query = () => ({
    conditions: status ? [ofCampaign, inStatus] : [ofCampaign],
    sort,
    columns: [membershipColumns],
  })
  return pages.read(db, paging, status ? 'in a status' : 'all', query, { campaignId, status })
}

const one = new Statement<CampaignContactRow>(
  sql<CampaignContactRow>`select ${membershipColumns} from campaign_contact m
    where m.account_id = ${param('account')} and m.id = ${param('id')}`,
  { prepared: true },
)

/** One membership of the account; undefined where there is none. */
export async function findMembership(db: Scope, id: string): Promise<CampaignContactRow | undefined> {
  return isUuid(id) ? (await db.rows(one, { id }))[0] : undefined
}
