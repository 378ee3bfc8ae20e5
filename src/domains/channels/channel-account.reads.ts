import { referenceReads } from '../../kit/reference/index.js'
import { ChannelAccount } from './channel-account.entity.js'

/** The reads of channel accounts, by name. */
export const channelAccountReads = referenceReads(ChannelAccount)
