import { within } from '../../database/index.js'
import { defineDomain } from '../../kit/domain.js'
import { accounts } from '../accounts/index.js'
import { agents } from '../agents/index.js'
import { conversationErased, conversations } from '../conversations/index.js'
import { AgentRun } from './agent-run.entity.js'

import { eraseRuns } from './erase.service.js'

export { AgentRun, AgentRunKind, AgentRunState } from './agent-run.entity.js'

/** What agents do: they open conversations and answer in them. */
export const workflows = defineDomain({
  name: 'workflows',
  uses: [accounts, agents, conversations],
  entities: [AgentRun],
  on: [within(conversationErased, eraseRuns)],
})
