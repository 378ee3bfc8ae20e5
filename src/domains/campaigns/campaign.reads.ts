import { type RawBuilder, sql } from 'kysely'
import { contains, PageReader, param, type Scope, Statement } from '../../database/index.js'
import type { Selection } from '../../kit/selection.js'
import { isUuid } from '../../shared/ids.js'
import { type Pagination, pagingOf } from '../../shared/paging.js'
import type { Campaign } from './campaign.entity.js'
import type { CampaignFilter } from './campaign.inputs.js'
import { campaignContactTally } from './campaign.tally.js'

/** A campaign as a read brings it, with its number of contacts when that was asked for. */
export type CampaignRow = Omit<Campaign, 'accountId' | 'deletedAt'> & { contactCount?: number }

/** A page as the resolver returns it. */
export interface CampaignPageRows {
  items: CampaignRow[]
  pagination: Pagination
}

/** The columns of a campaign `c`. */
export const campaignColumns = sql`c.id, c.name, c.description, c.status, c.channel,
  c.automation_active as "automationActive", c.sector_id as "sectorId",
  c.default_responsible_id as "defaultResponsibleId", c.created_at as "createdAt", c.updated_at as "updatedAt"`

/** The kept total of the contacts of a campaign `c`, and how many differences it was added up from. */
export const contactCount = (value: RawBuilder<unknown>) => sql`(select ${value} from campaign_contact_tally t
  where t.account_id = c.account_id and t.campaign_id = c.id)`
const counted = sql`${contactCount(sql`coalesce(sum(t.n), 0)::int`)} as "contactCount",
  ${contactCount(sql`(count(*) filter (where t.fresh))::int`)} as parts`

const live = sql<boolean>`c.deleted_at is null`
const CONDITIONS = {
  status: sql<boolean>`c.status = lower(${param('status')})`,
  search: contains(sql`fold(c.name)`, 'search'),
}
const NAMES = Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]

const pages = new PageReader<CampaignRow & { parts?: number }>({ table: 'campaign', alias: 'c', always: live })
const sort = { column: 'created_at', nullable: false, descending: true }

/** One page of campaigns, the newest first, with the exact total, in one statement (two when it is past the end). */
export async function listCampaigns(
  db: Scope,
  { filter, page, limit }: { filter?: CampaignFilter | null; page: number; limit: number },
  selection: Selection,
): Promise<CampaignPageRows> {
  const { status, search } = filter ?? {}
  const values = { status, search }
  const names = NAMES.filter((name) => values[name])
  const withCount = selection.has('contactCount')
  const found = await pages.read(
    db,
    pagingOf(page, limit),
    `${names.join()} ${withCount}`,
    () => ({
      conditions: names.map((name) => CONDITIONS[name]),
      sort,
      columns: withCount ? [campaignColumns, counted] : [campaignColumns],
    }),
    values,
  )
  db.readTally(
    campaignContactTally,
    found.items.reduce((sum, { parts = 0 }) => sum + parts, 0),
  )
  return found
}

const one = new Statement<CampaignRow>(
  sql<CampaignRow>`select ${campaignColumns} from campaign c
    where c.account_id = ${param('account')} and c.id = ${param('id')} and ${live}`,
  { prepared: true },
)

/** A campaign of the account that was not deleted; undefined where there is none. */
export async function findCampaign(db: Scope, id: string): Promise<CampaignRow | undefined> {
  return isUuid(id) ? (await db.rows(one, { id }))[0] : undefined
}
