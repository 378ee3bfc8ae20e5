import { sql } from 'kysely'
import { param } from '../../database/index.js'
import { type ColumnRef, contains, hasWord, Reads, tallied } from '../../kit/reads/index.js'
import { isContactOf } from '../contacts/index.js'
import { Campaign } from './campaign.entity.js'
import type { CampaignFilter } from './campaign.inputs.js'
import { campaignContactTally } from './campaign.tally.js'

/** A campaign as a read brings it, with its number of contacts when that was asked for. */
export type CampaignRow = Partial<Campaign> & Pick<Campaign, 'id'> & { contactCount?: number }

// The kept total counts everybody's.
const ownContacts = (of: ColumnRef) => sql`(select count(*)::int from campaign_contact m
  where m.account_id = ${of('account_id')} and m.campaign_id = ${of('id')}
    and ${isContactOf(param('ownerScope'), sql`m.contact_id`)})`

/** The reads of campaigns. */
export const campaignReads = new Reads<CampaignRow, CampaignFilter>({
  entity: Campaign,
  relations: { sector: { by: 'sectorId' }, defaultResponsible: { by: 'defaultResponsibleId' } },
  children: { contactCount: { ...tallied(campaignContactTally, 'campaign_id'), own: ownContacts } },
  filters: {
    status: hasWord('status'),
    search: contains((of) => sql`fold(${of('name')})`),
  } satisfies Record<keyof CampaignFilter, unknown>,
  sorts: { created_at: 'createdAt' },
  keepsDeleted: true,
})
