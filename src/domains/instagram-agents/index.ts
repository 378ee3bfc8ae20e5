import { defineDomain } from '../../kit/domain.js'
import { accounts } from '../accounts/index.js'
import { InstagramAgent, InstagramProfile } from './instagram.entity.js'
import { InstagramAgentResolver } from './instagram.resolver.js'

export { InstagramAgent, InstagramAgentStatus, InstagramProfile } from './instagram.entity.js'

/** Searches for profiles on Instagram, and what they found. */
export const instagramAgents = defineDomain({
  name: 'instagram-agents',
  uses: [accounts],
  entities: [InstagramAgent, InstagramProfile],
  resolvers: [InstagramAgentResolver],
  permissions: {
    'instagram_agents:read': 'list Instagram agents',
    'instagram_agents:write': 'add profiles to Instagram agents',
  },
  demo: () => import('./demo/index.js'),
})
