export { InstagramAgent, InstagramAgentStatus, InstagramProfile } from './instagram.entity.js'
