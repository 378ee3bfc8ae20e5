import type { Scope } from '../../database/index.js'

/** What stands for a provider's id of a message where the id itself must not stay: it may hold a phone number. */
export function providerKey(db: Scope, channelAccountId: string, providerId: string): Buffer {
  return db.sign('message', channelAccountId, providerId)
}
