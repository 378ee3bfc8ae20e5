import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions'
import { checkForm } from './form.js'
import { Refusal } from './refusal.js'

/** What is asked of the chat API. */
export type ChatRequest = ChatCompletionCreateParamsNonStreaming

const invalid = (message: string, param: string) => new Refusal(400, message, { param })

/** Refuses what the types do not say, as the API's reference does: ranges, what excludes what, and what depends on what. */
export function checkRules(request: ChatRequest): void {
  const { messages, max_tokens, max_completion_tokens, n, temperature, top_p, stop, metadata, stream } = request
  if (messages.length === 0) throw invalid("Invalid 'messages': empty array.", 'messages')
  for (const [i, { role, content }] of messages.entries()) {
    if (content === '' || (Array.isArray(content) && content.length === 0)) {
      throw invalid(`Invalid 'messages[${i}].content': it is empty.`, `messages[${i}].content`)
    }
    if (role === 'tool' && !messages.slice(0, i).some((one) => one.role === 'assistant' && one.tool_calls)) {
      throw invalid("messages with role 'tool' must be a response to a message with 'tool_calls'.", 'messages')
    }
  }
  if (max_tokens != null && max_completion_tokens != null) {
    throw invalid("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.", 'max_tokens')
  }
  range('max_tokens', max_tokens, 1, 1_000_000, true)
  range('max_completion_tokens', max_completion_tokens, 1, 1_000_000, true)
  range('n', n, 1, 128, true)
  range('temperature', temperature, 0, 2)
  range('top_p', top_p, 0, 1)
  if (Array.isArray(stop) && stop.length > 4) throw invalid("Invalid 'stop': array too long.", 'stop')
  if (metadata && Object.keys(metadata).length > 16) throw invalid("Invalid 'metadata': too many keys.", 'metadata')
  if (stream) throw invalid('The local chat API does not stream: build it before a test asks for it.', 'stream')
  checkFormat(request)
}

function range(name: string, value: number | null | undefined, min: number, max: number, whole = false): void {
  if (value == null) return
  if (value < min || value > max || (whole && !Number.isInteger(value))) {
    throw invalid(`Invalid '${name}': it must be from ${min} to ${max}.`, name)
  }
}

function checkFormat({ response_format: format, messages, tools, tool_choice }: ChatRequest): void {
  if (tool_choice !== undefined && !tools) {
    throw invalid("'tool_choice' is only allowed when 'tools' are specified.", 'tool_choice')
  }
  if (tools?.length === 0) throw invalid("Invalid 'tools': empty array.", 'tools')
  if (format?.type === 'json_object' && !/json/i.test(JSON.stringify(messages))) {
    throw invalid("'messages' must contain the word 'json' to use 'response_format' of type 'json_object'.", 'messages')
  }
  if (format?.type !== 'json_schema') return
  const { name, schema, strict } = format.json_schema
  if (!/^[\w-]{1,64}$/.test(name)) {
    throw invalid("Invalid 'response_format.json_schema.name': it must match ^[a-zA-Z0-9_-]{1,64}$.", 'response_format')
  }
  if (!schema) throw invalid("Missing required parameter: 'response_format.json_schema.schema'.", 'response_format')
  if (strict) checkForm(name, schema)
}
