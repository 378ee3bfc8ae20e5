import { type GraphQLOutputType, getNullableType, isNonNullType, Kind } from 'graphql'
import { ERROR_CODES, type ErrorCode } from '../../shared/errors.js'
import type { Endpoint, RootField } from '../operation.js'
import type { JsonSchema } from './json-schema.js'
import { type Components, nonNullOutput } from './selection-schema.js'

const RATE_HEADERS = {
  'X-RateLimit-Limit': { $ref: '#/components/headers/RateLimitLimit' },
  'X-RateLimit-Remaining': { $ref: '#/components/headers/RateLimitRemaining' },
  'X-RateLimit-Reset': { $ref: '#/components/headers/RateLimitReset' },
}
const REQUEST_ID = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }

const warnings: JsonSchema = { $ref: '#/components/schemas/Warnings' }

/** Every answer of an endpoint: success by its envelope, and each error status with its codes. */
export function responsesOf(endpoint: Endpoint, components: Components): Record<string, JsonSchema> {
  const { mount } = endpoint
  const { schema, example } = successBody(endpoint, components)
  const headers = { ...REQUEST_ID, ...RATE_HEADERS, ...(mount.idempotent && replayHeader()) }
  const content = { 'application/json': { schema, example } }
  const success = { description: mount.message ?? 'Success.', headers, content }
  return { [mount.status]: success, ...errorResponses(endpoint) }
}

function replayHeader() {
  return { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } }
}

function successBody({ operation, mount }: Endpoint, components: Components): { schema: JsonSchema; example: unknown } {
  const properties: Record<string, JsonSchema> = { success: { const: true } }
  const example: Record<string, unknown> = { success: true }
  const required = ['success']
  const add = (name: string, schema: JsonSchema, value: unknown, always: boolean) => {
    properties[name] = schema
    example[name] = value
    if (always) required.push(name)
  }
  for (const root of operation.roots) {
    const found = rootSchema(operation, root, components)
    if (mount.envelope === 'DATA') add('data', found.schema, found.example, true)
    else if (mount.envelope === 'PAGE' || root.spread) {
      for (const [name, schema] of Object.entries(membersOf(found.schema))) {
        const value = (found.example as Record<string, unknown>)[name]
        add(mount.envelope === 'PAGE' && name === 'items' ? 'data' : name, schema, value, !isNullable(schema))
      }
    } else add(root.key, found.schema, found.example, root.key === 'data' || isNonNullType(root.type))
  }
  if (mount.message !== undefined) add('message', { type: 'string' }, mount.message, true)
  properties.warnings = warnings
  return { schema: { type: 'object', required, properties }, example }
}

/** What a root field comes out as. A null root is a 404, so it is never null here. */
function rootSchema({ node }: Endpoint['operation'], root: RootField, components: Components) {
  const field = node.selectionSet.selections.find(
    (selection) => selection.kind === Kind.FIELD && (selection.alias ?? selection.name).value === root.key,
  )
  const set = field?.kind === Kind.FIELD ? field.selectionSet : undefined
  return nonNullOutput(getNullableType(root.type) as GraphQLOutputType, set, components)
}

const isNullable = ({ type, anyOf }: JsonSchema) => Array.isArray(type) || anyOf !== undefined

function membersOf(schema: JsonSchema): Record<string, JsonSchema> {
  return schema.properties as Record<string, JsonSchema>
}

/** The codes with which a call of the endpoint can end. */
export function errorCodesOf(endpoint: Endpoint): ErrorCode[] {
  const { operation, mount, parameters } = endpoint
  const has = (source: string) => parameters.some((parameter) => parameter.source === source)
  const codes: ErrorCode[] = ['VALIDATION_ERROR', 'MISSING_API_KEY', 'INVALID_API_KEY', 'RATE_LIMIT_EXCEEDED']
  if (operation.access !== 'any' && operation.access !== 'public') codes.push('INSUFFICIENT_PERMISSIONS')
  if (has('path') || (mount.envelope === 'DATA' && !isNonNullType(operation.roots[0]!.type))) codes.push('NOT_FOUND')
  if (has('body')) codes.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  if (mount.idempotent) codes.push('IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED', 'RESOURCE_DELETED')
  codes.push(...operation.errors, 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE')
  return [...new Set(codes)]
}

function errorResponses(endpoint: Endpoint): Record<string, JsonSchema> {
  const byStatus = Map.groupBy(errorCodesOf(endpoint), (code) => ERROR_CODES[code].status)
  const sorted = [...byStatus].sort(([a], [b]) => a - b)
  return Object.fromEntries(sorted.map(([status, codes]) => [status, errorResponse(status, codes)]))
}

function errorResponse(status: number, codes: ErrorCode[]): JsonSchema {
  const description = codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].meaning}`).join('\n')
  const known = status !== 401 && status < 500 ? RATE_HEADERS : {}
  const retry = [429, 503].includes(status) ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {}
  const schema: JsonSchema = {
    allOf: [
      { $ref: '#/components/schemas/Error' },
      { type: 'object', properties: { error: { type: 'object', properties: { code: { enum: codes } } } } },
    ],
  }
  const examples = Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }]))
  return {
    description,
    headers: { ...REQUEST_ID, ...known, ...retry },
    content: { 'application/json': { schema, examples } },
  }
}

function errorExample(code: ErrorCode) {
  const { meaning } = ERROR_CODES[code]
  const request_id = '3f0c2d3e-6f4b-4d8e-9a55-0f6f0f5b8a11'
  return { success: false, error: { code, message: meaning, request_id } }
}
