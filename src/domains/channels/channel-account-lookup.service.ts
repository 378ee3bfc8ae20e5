import type { Database } from '../../database/index.js'
import type { ChannelKind } from '../../integrations/channels/index.js'

/** A connected channel account, and whose it is. */
export interface OwnedChannel {
  id: string
  accountId: string
  portfolioId: string | null
}

const FIND = `select id, account_id as "accountId", portfolio_id as "portfolioId" from channel_account
  where kind = $1 and external_id = $2 and status = 'connected'`

/** The connected channel account with the provider's id of a number or profile, whichever account has it. */
export async function channelAccountOf(
  database: Database,
  kind: ChannelKind,
  externalId: string,
): Promise<OwnedChannel | undefined> {
  return (await database.pool.query<OwnedChannel>(FIND, [kind, externalId])).rows[0]
}
