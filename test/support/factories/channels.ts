import { randomInt, randomUUID } from 'node:crypto'
import { type Database, Scope } from '../../../src/database/index.js'
import { ChannelAccount, ChannelAccountStatus } from '../../../src/domains/channels/index.js'
import { cipher } from '../../../src/kit/cipher.js'

/** A connected WhatsApp number of the account unless said otherwise, straight into the database. */
export async function makeChannelAccount(
  database: Database,
  accountId: string,
  { token = 'sandbox', ...overrides }: Partial<ChannelAccount> & { token?: string } = {},
) {
  const em = database.fork()
  const id = randomUUID()
  const isConnected = overrides.status !== ChannelAccountStatus.DISCONNECTED
  const credentials = isConnected ? Scope.ofSystem(database, accountId).get(cipher).get().seal(token, id) : null
  const fields = { name: 'Sales', kind: 'whatsapp', externalId: `${randomInt(1e12)}`, portfolioId: '77' } as const
  const status = ChannelAccountStatus.CONNECTED
  const channel = em.create(ChannelAccount, { ...fields, status, credentials, ...overrides, id, accountId })
  await em.flush()
  return channel
}
