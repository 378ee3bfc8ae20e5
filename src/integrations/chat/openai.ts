import type { OpenAI } from 'openai'
import type { ChatCompletion, ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import { failureOf } from './failures.js'
import { boundedFetch } from './fetch.js'
import type { ChatAnswer, ChatModel, ChatQuestion } from './model.js'

/** How to reach an API that speaks as OpenAI's does, and which of its models is asked. */
export interface OpenAiSettings {
  apiBase: string
  apiKey: string
  model: string
}

/** How long an answer may take, in milliseconds; a run of an agent asks twice at most, within its lease. */
const PATIENCE_MS = 45_000

/** A model behind the chat completions of OpenAI, or of a service that speaks as it does. */
export class OpenAiChat implements ChatModel {
  private client: Promise<OpenAI> | undefined

  constructor(
    private readonly settings: OpenAiSettings,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  async ask({ instructions, data, form, before, maxTokens }: ChatQuestion): Promise<ChatAnswer> {
    const messages: ChatCompletionMessageParam[] = [
      { role: 'system', content: instructions },
      { role: 'user', content: data },
      ...(before
        ? ([
            { role: 'assistant', content: before.answer },
            { role: 'user', content: before.fault },
          ] as const)
        : []),
    ]
    try {
      const client = await this.opened()
      return told(
        await client.chat.completions.create({
          model: this.settings.model,
          messages,
          max_completion_tokens: maxTokens,
          response_format: { type: 'json_schema', json_schema: { ...form, strict: true } },
        }),
      )
    } catch (error) {
      return failureOf(error)
    }
  }

  // Half a second of work and 10 MB, for those who use it alone. The client reads variables of its own where it is not told.
  private opened(): Promise<OpenAI> {
    const { apiBase: baseURL, apiKey } = this.settings
    this.client ??= import('openai').then(
      ({ OpenAI }) =>
        new OpenAI({
          baseURL,
          apiKey,
          adminAPIKey: null,
          organization: null,
          project: null,
          webhookSecret: null,
          logLevel: 'off',
          maxRetries: 0,
          timeout: this.patienceMs,
          fetch: boundedFetch,
        }),
    )
    return this.client
  }
}

const NOT_WHOLE: Partial<Record<string, string>> = {
  length: 'Its answer was too long.',
  content_filter: 'Its answer was held back by a filter.',
  tool_calls: 'It wanted something done in the place of an answer.',
  function_call: 'It wanted something done in the place of an answer.',
}

/** What a completion says. Services that speak nearly as OpenAI does leave out what its types promise. */
function told(completion: Partial<ChatCompletion>): ChatAnswer {
  const total = completion.usage?.total_tokens
  const tokens = Number.isSafeInteger(total) && total! >= 0 ? total! : null
  const unusable = (reason: string): ChatAnswer => ({ outcome: 'unusable', reason, tokens })
  if (!Array.isArray(completion.choices)) return { outcome: 'later', reason: 'Its answer was no completion.', tokens }
  const { message, finish_reason: finish } = completion.choices[0] ?? {}
  if (message?.refusal) return unusable('It refused to answer.')
  if (finish !== undefined && finish !== 'stop') return unusable(NOT_WHOLE[finish] ?? 'Its answer was not whole.')
  const text = message?.content
  if (typeof text !== 'string' || text.trim() === '') return unusable('It said nothing.')
  return { outcome: 'answered', text, tokens }
}
