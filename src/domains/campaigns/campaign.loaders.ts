import { sql } from 'kysely'
import { loaderOf, param, Statement } from '../../database/index.js'
import { type CampaignRow, campaignColumns, contactCount } from './campaign.reads.js'

type Id = { id: string }

/** A loader of campaigns by id. */
export const campaignLoader = loaderOf(
  new Statement<CampaignRow>(
    sql<CampaignRow>`select ${campaignColumns} from campaign c
      where c.account_id = ${param('account')} and c.id = any(${param('ids')}::uuid[])`,
    { prepared: true },
  ),
)

/** A loader of the numbers of contacts of campaigns, by the campaigns' ids. */
export const contactCountLoader = loaderOf(
  new Statement<Id & { n: number }>(
    sql<Id & { n: number }>`select c.id, ${contactCount(sql`coalesce(sum(t.n), 0)::int`)} as n from campaign c
      where c.account_id = ${param('account')} and c.id = any(${param('ids')}::uuid[])`,
    { prepared: true },
  ),
)
