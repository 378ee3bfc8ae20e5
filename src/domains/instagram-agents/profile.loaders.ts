import DataLoader from 'dataloader'
import { sql } from 'kysely'
import { type Context, param, Statement } from '../../database/index.js'
import { jsonOf } from '../../kit/reads/index.js'
import { type Pagination, type Paging, paginate } from '../../shared/paging.js'
import { InstagramProfile } from './instagram.entity.js'

/** A profile as a read brings it. */
export type InstagramProfileRow = Omit<InstagramProfile, 'accountId' | 'agentId'>

/** A page as the resolver returns it. */
export interface InstagramProfilePageRows {
  items: InstagramProfileRow[]
  pagination: Pagination
}

type Held = { id: string; total: number; items: InstagramProfileRow[] }

// The agent counts its profiles, so the total need not be counted again.
const page = new Statement<Held>(
  sql<Held>`select a.id, a.total_profiles_found as total, (
      select coalesce(json_agg(${jsonOf(InstagramProfile, 'p')} order by p.added_at desc, p.id desc), '[]') from (
        select * from instagram_profile p where p.account_id = a.account_id and p.agent_id = a.id
        order by p.added_at desc, p.id desc limit ${param('limit')} offset ${param('offset')}) p) as items
    from instagram_agent a where a.account_id = ${param('account')} and a.id = any(${param('ids')}::uuid[])`,
  { prepared: true },
)

/** Loads the same page of the profiles of many agents in one statement, the latest profiles first. */
export function profilePages({ db }: Context) {
  const loaders = new Map<number, DataLoader<string, InstagramProfilePageRows>>()
  const loaderOf = (paging: Paging) =>
    new DataLoader<string, InstagramProfilePageRows>(async (ids) => {
      const rows = await db.rows(page, { ids, limit: paging.limit, offset: paging.offset })
      const known = new Map(rows.map((row) => [row.id, row]))
      return ids.map((id) => {
        const { items = [], total = 0 } = known.get(id) ?? {}
        return { items, pagination: paginate(paging, total) }
      })
    })
  return (agentId: string, paging: Paging): Promise<InstagramProfilePageRows> => {
    const key = paging.page * 1000 + paging.limit
    const loader = loaders.get(key) ?? loaderOf(paging)
    loaders.set(key, loader)
    return loader.load(agentId)
  }
}
