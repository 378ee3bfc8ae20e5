import { sql } from 'kysely'
import { contains, hasWord, Reads, tallied } from '../../kit/reads/index.js'
import { Campaign } from './campaign.entity.js'
import type { CampaignFilter } from './campaign.inputs.js'
import { campaignContactTally } from './campaign.tally.js'

/** A campaign as a read brings it, with its number of contacts when that was asked for. */
export type CampaignRow = Partial<Campaign> & Pick<Campaign, 'id'> & { contactCount?: number }

/** The reads of campaigns. */
export const campaignReads = new Reads<CampaignRow, CampaignFilter>({
  entity: Campaign,
  relations: { sector: { by: 'sectorId' }, defaultResponsible: { by: 'defaultResponsibleId' } },
  children: { contactCount: tallied(campaignContactTally, 'campaign_id') },
  filters: {
    status: hasWord('status'),
    search: contains((of) => sql`fold(${of('name')})`),
  } satisfies Record<keyof CampaignFilter, unknown>,
  sorts: { created_at: 'createdAt' },
  keepsDeleted: true,
})
