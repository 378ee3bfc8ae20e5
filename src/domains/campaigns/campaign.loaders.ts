import { sql } from 'kysely'
import { loaderOf, param, partLoaderOf, Statement } from '../../database/index.js'
import { type CampaignRow, campaignColumns, contactCount } from './campaign.reads.js'

type Count = { id: string; value: number }

/** A loader of campaigns by id. */
export const campaignLoader = loaderOf(
  new Statement<CampaignRow>(
    sql<CampaignRow>`select ${campaignColumns} from campaign c
      where c.account_id = ${param('account')} and c.id = any(${param('ids')}::uuid[])`,
    { prepared: true },
  ),
)

/** A loader of the numbers of contacts of campaigns, by the campaigns' ids. */
export const contactCountLoader = partLoaderOf(
  new Statement<Count>(
    sql<Count>`select c.id, ${contactCount(sql`coalesce(sum(t.n), 0)::int`)} as value from campaign c
      where c.account_id = ${param('account')} and c.id = any(${param('ids')}::uuid[])`,
    { prepared: true },
  ),
  0,
)
