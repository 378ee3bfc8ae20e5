import { defineDomain } from '../../kit/domain.js'
import { accounts } from '../accounts/index.js'
import { ChannelAccount } from './channel-account.entity.js'

export { ChannelAccount, ChannelAccountStatus } from './channel-account.entity.js'
export { channelAccountOf, type OwnedChannel } from './channel-account-lookup.service.js'
export { messagingChannels } from './needs.service.js'

/** The numbers and profiles that messages go through. */
export const channels = defineDomain({
  name: 'channels',
  uses: [accounts],
  entities: [ChannelAccount],
})
