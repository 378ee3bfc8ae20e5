import DataLoader from 'dataloader'
import { sql } from 'kysely'
import { type Context, param, Statement } from '../../database/index.js'
import type { User } from '../accounts/user.entity.js'
import type { Sector } from '../reference/sector.entity.js'
import { type CampaignRow, campaignColumns, contactCount } from './campaign.reads.js'

type Id = { id: string }

/** A loader by id of what a statement finds for many ids at once, among them what was deleted since. */
function byId<Row extends Id>(statement: Statement<Row>) {
  return ({ db }: Context): DataLoader<string, Row | null> =>
    new DataLoader(async (ids) => {
      const rows = await db.rows(statement, { ids })
      const known = new Map(rows.map((row) => [row.id, row]))
      return ids.map((id) => known.get(id) ?? null)
    })
}

/** A loader of campaigns by id. */
export const campaignLoader = byId(
  new Statement<CampaignRow>(
    sql<CampaignRow>`select ${campaignColumns} from campaign c
      where c.account_id = ${param('account')} and c.id = any(${param('ids')}::uuid[])`,
    { prepared: true },
  ),
)

/** A loader of the numbers of contacts of campaigns, by the campaigns' ids. */
export const contactCountLoader = byId(
  new Statement<Id & { n: number }>(
    sql<Id & { n: number }>`select c.id, ${contactCount(sql`coalesce(sum(t.n), 0)::int`)} as n from campaign c
      where c.account_id = ${param('account')} and c.id = any(${param('ids')}::uuid[])`,
    { prepared: true },
  ),
)

/** A loader of the sectors of campaigns. */
export const campaignSectorLoader = byId(
  new Statement<Sector>(
    sql<Sector>`select s.id, s.name, s.description, s.color, s.is_active as "isActive", s.created_at as "createdAt",
      s.updated_at as "updatedAt"
    from sector s where s.account_id = ${param('account')} and s.id = any(${param('ids')}::uuid[])`,
    { prepared: true },
  ),
)

/** A loader of the users who are responsible for campaigns. */
export const responsibleLoader = byId(
  new Statement<User>(
    sql<User>`select u.id, u.name, u.email, u.role, u.sector_id as "sectorId", u.is_active as "isActive",
      u.created_at as "createdAt"
    from app_user u where u.account_id = ${param('account')} and u.id = any(${param('ids')}::uuid[])`,
    { prepared: true },
  ),
)
