import { randomBytes } from 'node:crypto'
import type { ChatCompletion } from 'openai/resources/chat/completions'
import type { ChatRequest } from './rules.js'

/** What the model of a local chat API says to one request. */
export interface ModelSays {
  content?: string | null
  /** Why it refuses, in the place of a content. */
  refusal?: string
  /** Why it ended; by itself, if not said. */
  finish?: ChatCompletion.Choice['finish_reason']
  /** Functions that it wants called. */
  calls?: { name: string; arguments: string }[]
  /** Tokens, if they are others than what the texts come to; null: the answer tells none. */
  usage?: { prompt: number; completion: number } | null
  /** Whether it may say what does not fit the schema, as models do behind services that heed none. */
  unfitting?: boolean
  /** Whether the answer has no choice at all. */
  silent?: boolean
}

/** A model: what it says to a request. */
export type Model = (request: ChatRequest) => ModelSays | Promise<ModelSays>

// What tokens come to for texts of European languages, near enough.
const LETTERS_OF_TOKEN = 4
const tokensOf = (text: string) => Math.ceil(text.length / LETTERS_OF_TOKEN)

/** How many tokens a request takes before anything is said. */
export const promptTokens = ({ messages, response_format }: ChatRequest): number =>
  messages.length * 3 +
  tokensOf(JSON.stringify(messages.map(({ content }) => content))) +
  tokensOf(JSON.stringify(response_format ?? ''))

/** The schema that an answer must fit, if the request has one. */
export const schemaOf = ({ response_format: format }: ChatRequest): Record<string, unknown> | undefined =>
  format?.type === 'json_schema' && format.json_schema.strict ? format.json_schema.schema : undefined

/** The completion of what a model says, cut where the request ends it. */
export function completionOf(request: ChatRequest, says: ModelSays, now: Date): ChatCompletion {
  const limit = request.max_completion_tokens ?? request.max_tokens ?? 4096
  const whole = says.content ?? null
  const isCut = whole !== null && tokensOf(whole) > limit
  const content = isCut ? whole.slice(0, limit * LETTERS_OF_TOKEN) : whole
  const calls = (says.calls ?? []).map((call) => ({ id: `call_${id()}`, type: 'function' as const, function: call }))
  const finish = says.finish ?? (isCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop')
  const prompt = says.usage?.prompt ?? promptTokens(request)
  const completion = says.usage?.completion ?? tokensOf(content ?? says.refusal ?? '')
  const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
  const message = {
    role: 'assistant' as const,
    content,
    refusal: says.refusal ?? null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
  return {
    id: `chatcmpl-${id()}`,
    object: 'chat.completion',
    created: Math.floor(now.getTime() / 1000),
    model: request.model,
    choices: says.silent ? [] : [{ index: 0, message, logprobs: null, finish_reason: finish }],
    ...(says.usage === null ? {} : { usage }),
  }
}

const id = () => randomBytes(12).toString('base64url')
