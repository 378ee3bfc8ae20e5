import { cipher } from '../../../kit/cipher.js'
import { type DemoWork, listed } from '../../../kit/demo.js'
import { newId } from '../../../shared/ids.js'
import { ChannelAccount, ChannelAccountStatus } from '../channel-account.entity.js'

/** Makes the demo account's number, which the sandbox takes for connected; no provider has ever heard of it. */
export function makeDemo({ em, db, accountId }: DemoWork) {
  const id = newId()
  const channel = em.create(ChannelAccount, {
    id,
    accountId,
    name: 'Demo sales line',
    kind: 'whatsapp',
    externalId: `demo-${id}`,
    address: '+5511900000000',
    portfolioId: 'sandbox',
    status: ChannelAccountStatus.CONNECTED,
    credentials: db.get(cipher).get().seal('sandbox', id),
    connectedAt: new Date(),
  })
  return {
    made: { channels: [channel] },
    ids: { channels: listed([channel]).map((one) => ({ ...one, type: channel.kind })) },
  }
}
