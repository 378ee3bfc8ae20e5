import { sql } from 'kysely'
import { PageReader, param, type Scope, Statement } from '../../database/index.js'
import { isUuid } from '../../shared/ids.js'
import { type Pagination, pagingOf } from '../../shared/paging.js'
import type { InstagramAgent } from './instagram.entity.js'
import type { InstagramAgentFilter } from './instagram.inputs.js'

/** An agent as a read brings it. */
export type InstagramAgentRow = Omit<InstagramAgent, 'accountId'>

/** A page as the resolver returns it. */
export interface InstagramAgentPageRows {
  items: InstagramAgentRow[]
  pagination: Pagination
}

/** The columns of an agent `a`. */
export const agentColumns = sql`a.id, a.name, a.description, a.search_niche as "searchNiche",
  a.search_location as "searchLocation", a.status, a.total_profiles_found as "totalProfilesFound",
  a.total_limit as "totalLimit", a.created_at as "createdAt", a.updated_at as "updatedAt"`

const pages = new PageReader<InstagramAgentRow>({ table: 'instagram_agent', alias: 'a' })
const sort = { column: 'created_at', nullable: false, descending: true }
const inStatus = sql<boolean>`a.status = lower(${param('status')})`

/** One page of the collection agents, the newest first, with the exact total, in one statement. */
export function listInstagramAgents(
  db: Scope,
  { filter, page, limit }: { filter?: InstagramAgentFilter | null; page: number; limit: number },
): Promise<InstagramAgentPageRows> {
  const status = filter?.status
  const query = () => ({ conditions: status ? [inStatus] : [], sort, columns: [agentColumns] })
  return pages.read(db, pagingOf(page, limit), status ? 'in a status' : 'all', query, { status })
}

const one = new Statement<InstagramAgentRow>(
  sql<InstagramAgentRow>`select ${agentColumns} from instagram_agent a
    where a.account_id = ${param('account')} and a.id = ${param('id')}`,
  { prepared: true },
)

/** One collection agent of the account; undefined where there is none. */
export async function findInstagramAgent(db: Scope, id: string): Promise<InstagramAgentRow | undefined> {
  return isUuid(id) ? (await db.rows(one, { id }))[0] : undefined
}
