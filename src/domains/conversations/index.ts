export { AiAgent } from './ai-agent.entity.js'
export { Conversation, ConversationStatus, Message, SenderType } from './conversation.entity.js'
export { conversationTally } from './conversation.tally.js'
