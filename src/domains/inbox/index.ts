import { within } from '../../database/index.js'
import { defineDomain } from '../../kit/domain.js'
import { defineQueue } from '../../kit/queue.js'
import { channels } from '../channels/index.js'
import { contactDeleted, contacts } from '../contacts/index.js'
import { conversationErased, conversations } from '../conversations/index.js'
import { ChannelNotice } from './channel-notice.entity.js'
import { eraseContact, eraseGroupNames } from './erase.service.js'
import { sweepInbox } from './inbox.job.js'

export { startInboxWorker } from './inbox-worker.service.js'
export { Inbox } from './store.service.js'

/** What providers of channels tell: stored before they are answered, then recorded in order. */
export const inbox = defineDomain({
  name: 'inbox',
  uses: [channels, contacts, conversations],
  entities: [ChannelNotice],
  queues: [defineQueue('channel_notices', 'channel_notice')],
  jobs: [sweepInbox],
  on: [within(contactDeleted, eraseContact), within(conversationErased, eraseGroupNames)],
})
