import { defineDomain } from '../../kit/domain.js'
import { resealJob } from '../../kit/reseal.js'
import { accounts } from '../accounts/index.js'
import { ChannelAccount } from './channel-account.entity.js'
import { ChannelAccountResolver } from './channel-account.resolver.js'

export { ChannelAccount, ChannelAccountStatus } from './channel-account.entity.js'
export { ChannelKindName } from './channel-account.inputs.js'
export { channelAccountReads } from './channel-account.reads.js'
export { channelAccountOf, type OwnedChannel } from './channel-account-lookup.service.js'
export { covered } from './coverage.service.js'
export { messagingChannels } from './needs.service.js'

/** The numbers and profiles that messages go through. */
export const channels = defineDomain({
  name: 'channels',
  uses: [accounts],
  entities: [ChannelAccount],
  resolvers: [ChannelAccountResolver],
  jobs: [resealJob('channel_account', 'credentials')],
  permissions: { 'channels:read': 'list the numbers and profiles that messages go through' },
  demo: () => import('./demo/index.js'),
})
