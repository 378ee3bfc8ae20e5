import { sql } from 'kysely'
import { loaderOf, param, partLoaderOf, Statement } from '../../database/index.js'
import { type CampaignRow, campaignColumns, contactCount } from './campaign.reads.js'

/** A loader of campaigns by id. */
export const campaignLoader = loaderOf(
  new Statement<CampaignRow>(
    sql<CampaignRow>`select ${campaignColumns} from campaign c
      where c.account_id = ${param('account')} and c.id = any(${param('ids')}::uuid[])`,
    { prepared: true },
  ),
)

/** A loader of the numbers of contacts of campaigns, by the campaigns' ids. */
export const contactCountLoader = partLoaderOf('campaign', 'c', contactCount(sql`coalesce(sum(t.n), 0)::int`), 0)
