import type { JsonSchema } from './json-schema.js'

/** The three ways to send an API key. */
export const SECURITY_SCHEMES: Record<string, JsonSchema> = {
  apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The recommended way.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The API key as a Bearer token.' },
  apiKeyQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description: 'Servers on the way may log addresses, and the key with them: prefer a header.',
  },
}

const header = (description: string, schema: JsonSchema, example: unknown): JsonSchema => ({
  description,
  required: true,
  schema,
  example,
})

export const HEADERS: Record<string, JsonSchema> = {
  RequestId: header("The call's id, for support: the caller's own if it sent a sane one.", { type: 'string' }, 'abc-1'),
  RateLimitLimit: header('Requests that the key may make in an hour.', { type: 'integer' }, 1000),
  RateLimitRemaining: header('Requests left in the running hour.', { type: 'integer' }, 999),
  RateLimitReset: header('Unix timestamp at which the hour ends.', { type: 'integer' }, 1_790_000_000),
  RetryAfter: header('Seconds after which to try again.', { type: 'integer' }, 5),
  IdempotentReplayed: {
    ...header('`true` when the answer is that of an earlier call.', { const: 'true' }, 'true'),
    required: false,
  },
}

const detail: JsonSchema = {
  type: 'object',
  required: ['field', 'message'],
  properties: {
    field: { type: 'string', description: 'The parameter, with a path to what is inside it.' },
    message: { type: 'string', description: 'What is wrong with it.' },
    existing_id: { type: 'string', description: 'The record that has the value already, of a conflict.' },
  },
}

export const WARNINGS_SCHEMA: JsonSchema = {
  title: 'Warnings',
  description: 'What was odd in the request but did not stop it. `Prefer: handling=strict` makes errors of them.',
  type: 'array',
  items: {
    type: 'object',
    required: ['field', 'message'],
    properties: { field: { type: 'string' }, message: { type: 'string' } },
  },
  examples: [[{ field: 'colour', message: 'is unknown and was ignored' }]],
}

export const ERROR_SCHEMA: JsonSchema = {
  title: 'Error',
  description: 'What every failure looks like.',
  type: 'object',
  required: ['success', 'error'],
  properties: {
    success: { const: false },
    error: {
      type: 'object',
      required: ['code', 'message', 'request_id'],
      properties: {
        code: { type: 'string', description: 'What went wrong, for programs.' },
        message: { type: 'string', description: 'What went wrong, for people.' },
        details: { type: 'array', items: detail, description: 'Every wrong field.' },
        request_id: { type: 'string', description: 'The id of the call, as in X-Request-Id.' },
        existing_status: { type: 'string', description: 'Of a 409: the status of what is there already.' },
        required_permission: { type: 'string', description: 'Of a 403: the permission that the key lacks.' },
        retry_after: { type: 'integer', description: 'Seconds after which to try again.' },
      },
    },
    warnings: { $ref: '#/components/schemas/Warnings' },
  },
}
