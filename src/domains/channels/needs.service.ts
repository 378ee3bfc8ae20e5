import { defineNeed } from '../../database/index.js'
import type { Channels } from '../../integrations/channels/index.js'

/** The providers of messages, which the start of the process provides. */
export const messagingChannels = defineNeed<Channels>('messagingChannels')
