export { InstagramAgent, InstagramAgentStatus, InstagramProfile } from './instagram.entity.js'
export { InstagramAgentResolver } from './instagram.resolver.js'
