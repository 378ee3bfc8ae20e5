import { MAX_LISTED } from '../../shared/faults.js'
import type { Api, Members } from '../api.js'
import type { JsonSchema } from './json-schema.js'

/** A header that every answer of its kind has. */
const header = (description: string, schema: JsonSchema, example: unknown): JsonSchema => ({
  description,
  required: true,
  schema,
  example,
})

/** The id of an entry in the books, as examples show it. */
export const ENTRY_EXAMPLE = '0198f2f4-8c1e-7d35-9b1a-5a7c1e0f2d43'

/** The headers of every API, by name. */
export const HEADERS: Record<string, JsonSchema> = {
  'X-Request-Id': header(
    "The call's id, for support: the caller's own if it sent a sane one.",
    { type: 'string' },
    'abc-1',
  ),
  'Retry-After': header('Seconds after which to try again.', { type: 'integer' }, 5),
  'Idempotent-Replayed': {
    ...header('`true` when the answer is that of an earlier call.', { type: 'string', const: 'true' }, 'true'),
    required: false,
  },
}

/** A header's name in the document's components: `X-Request-Id` is `RequestId`. */
const componentName = (name: string) => name.replace(/^X-/, '').replaceAll('-', '')

/** Headers by name as the document's components. */
export function headerComponents(headers: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(headers).map(([name, object]) => [componentName(name), object]))
}

/** References to the components of these headers. */
export function headerRefs(names: readonly string[]): Record<string, JsonSchema> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${componentName(name)}` }]))
}

/** The schemas of members that are always the same. */
export function constants(members: Members): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, { type: typeof value, const: value }]),
  )
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
  maxItems: MAX_LISTED,
  items: {
    type: 'object',
    required: ['field', 'message'],
    properties: { field: { type: 'string' }, message: { type: 'string' } },
  },
  examples: [[{ field: 'colour', message: 'is unknown and was ignored' }]],
}

/** The members by which any body tells what was odd in the request. */
export const WARNING_MEMBERS: Record<string, JsonSchema> = {
  warnings: { $ref: '#/components/schemas/Warnings' },
  warnings_omitted: { type: 'integer', minimum: 1, description: 'How many more warnings there are.' },
}

/** The schema of an API's bodies of failure. */
export const errorSchema = ({ failure, booked }: Api): JsonSchema => ({
  title: 'Error',
  description: 'What every failure looks like.',
  type: 'object',
  required: [...Object.keys(failure), 'error'],
  properties: {
    ...constants(failure),
    ...(booked && { [booked.name]: { type: 'string', format: 'uuid', description: booked.description } }),
    error: {
      type: 'object',
      required: ['code', 'message', 'request_id'],
      properties: {
        code: { type: 'string', description: 'What went wrong, for programs.' },
        message: { type: 'string', description: 'What went wrong, for people.' },
        details: { type: 'array', items: detail, maxItems: MAX_LISTED, description: 'Every wrong field.' },
        details_omitted: { type: 'integer', minimum: 1, description: 'How many more wrong fields there are.' },
        request_id: { type: 'string', description: 'The id of the call, as in X-Request-Id.' },
        existing_status: { type: 'string', description: 'Of a 409: the status of what is there already.' },
        required_permission: { type: 'string', description: 'Of a 403: the permission that the key lacks.' },
        retry_after: { type: 'integer', description: 'Seconds after which to try again.' },
      },
    },
    ...WARNING_MEMBERS,
  },
})
