import DataLoader from 'dataloader'
import { sql } from 'kysely'
import { type Context, param, perRequest, Statement } from '../../database/index.js'
import type { PageArgs } from '../../kit/list-args.js'
import { jsonOf, type PageOf, Reads, refersTo } from '../../kit/reads/index.js'
import { type Paging, pagingOf } from '../../shared/paging.js'
import { InstagramProfile } from './instagram.entity.js'

/** A profile as a read brings it. */
export type InstagramProfileRow = Omit<InstagramProfile, 'accountId' | 'agentId'>

const profileReads = new Reads<InstagramProfileRow, { agentId: string }>({
  entity: InstagramProfile,
  filters: { agentId: refersTo('agentId') },
  sorts: { added_at: 'addedAt' },
})

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

/** One page of the profiles of an agent, the latest first. By number, it is read for all agents of a request at once. */
export function listProfiles(
  context: Context,
  agentId: string,
  paging: PageArgs,
): Promise<PageOf<InstagramProfileRow>> {
  if (paging.cursor) return profileReads.list(context, { filter: { agentId }, ...paging })
  return perRequest(context, profilePages)(agentId, pagingOf(paging.page, paging.limit))
}

/** Loads the same page of the profiles of many agents in one statement. */
function profilePages({ db }: Context) {
  const loaders = new Map<number, DataLoader<string, PageOf<InstagramProfileRow>>>()
  const loaderOf = (paging: Paging) =>
    new DataLoader<string, PageOf<InstagramProfileRow>>(async (ids) => {
      const rows = await db.rows(page, { ids, limit: paging.limit, offset: paging.offset })
      const known = new Map(rows.map((row) => [row.id, row]))
      return ids.map((id) => {
        const { items = [], total = 0 } = known.get(id) ?? {}
        return profileReads.pageOf(db, { agentId: id }, paging, items, total)
      })
    })
  return (agentId: string, paging: Paging): Promise<PageOf<InstagramProfileRow>> => {
    const key = paging.page * 1000 + paging.limit
    const loader = loaders.get(key) ?? loaderOf(paging)
    loaders.set(key, loader)
    return loader.load(agentId)
  }
}
