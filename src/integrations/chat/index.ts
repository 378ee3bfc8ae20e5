export type { ChatAnswer, ChatModel, ChatQuestion } from './model.js'
export { OpenAiChat, type OpenAiSettings } from './openai.js'
