import { type FragmentDefinitionNode, Kind } from 'graphql'
import type { Constraints } from '../../kit/constraints.js'
import { ERROR_CODES, type ErrorCode } from '../../shared/errors.js'
import type { Endpoint, Parameter } from '../operation.js'
import { inputSchema, type JsonSchema, parameterSchema } from './json-schema.js'
import { errorCodesOf, responsesOf } from './responses.js'
import type { Components } from './selection-schema.js'
import { ERROR_SCHEMA, HEADERS, SECURITY_SCHEMES, WARNINGS_SCHEMA } from './shared-components.js'

export interface DocumentInfo {
  title: string
  version: string
  description: string
  /** The base address of the endpoints, absolute or from the root of the host. */
  server: string
  /** Further members of the document's `info`, such as the licence. */
  more: JsonSchema
}

/** The OpenAPI 3.1 document of an API's endpoints: all of it follows from the stored operations and the schema. */
export function openApiDocument(endpoints: readonly Endpoint[], info: DocumentInfo): JsonSchema {
  const components: Components = { schemas: {}, fragments: fragmentsOf(endpoints) }
  const paths: Record<string, Record<string, JsonSchema>> = {}
  const sorted = endpoints.toSorted((a, b) => (a.mount.path < b.mount.path ? -1 : 1))
  for (const endpoint of sorted) {
    const path = endpoint.mount.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][endpoint.mount.method.toLowerCase()] = operationObject(endpoint, components)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: info.title,
      version: info.version,
      description: `${info.description}\n\n${errorTable(endpoints)}`,
      ...info.more,
    },
    servers: [{ url: info.server }],
    security: Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: [] })),
    tags: tagsOf(endpoints),
    paths,
    components: {
      schemas: { ...components.schemas, Error: ERROR_SCHEMA, Warnings: WARNINGS_SCHEMA },
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

function fragmentsOf(endpoints: readonly Endpoint[]): Map<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const { operation } of endpoints) {
    for (const node of operation.document.definitions) {
      if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
    }
  }
  return fragments
}

/** Endpoints are grouped by the first part of their path. */
const tagOf = ({ mount }: Endpoint): string => mount.path.split('/')[1]?.replaceAll('-', ' ') || 'key'

function tagsOf(endpoints: readonly Endpoint[]) {
  const names = [...new Set(endpoints.map(tagOf))].sort()
  return names.map((name) => ({ name, description: `Endpoints about ${name}.` }))
}

function operationObject(endpoint: Endpoint, components: Components): JsonSchema {
  const { operation, mount, parameters } = endpoint
  const { access } = operation
  const needs = access === 'any' || access === 'public' ? 'No permission is needed.' : `Needs \`${access}\`.`
  const listed = parameters.filter(({ source }) => source !== 'body').map(parameterObject)
  if (mount.idempotent) listed.push(IDEMPOTENCY_KEY)
  const [summary] = operation.summary.split(/(?<=\.)\s/)
  return {
    operationId: operation.name[0]!.toLowerCase() + operation.name.slice(1),
    summary: summary!.replace(/\.$/, ''),
    description: `${operation.summary}\n\n${needs}`,
    tags: [tagOf(endpoint)],
    ...(access !== 'any' && access !== 'public' && { 'x-required-permission': access }),
    ...(listed.length > 0 && { parameters: listed }),
    ...(parameters.some(({ source }) => source === 'body') && { requestBody: requestBody(parameters) }),
    responses: responsesOf(endpoint, components),
  }
}

const IDEMPOTENCY_KEY: JsonSchema = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A text of your choice, new for each call: repeats with the same one happen once and are answered alike.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  example: 'import-2026-01-31-0001',
}

const constraintsOf = ({ rule }: Parameter): Constraints => (rule?.extensions ?? {}) as Constraints

function descriptionOf({ description, rule, name }: Parameter): string {
  return description ?? rule?.description ?? name
}

function parameterObject(parameter: Parameter): JsonSchema {
  const { name, source, header, type, required, range, defaultValue } = parameter
  const schema = parameterSchema(type, constraintsOf(parameter))
  if (range?.min !== undefined) schema.minimum = range.min
  if (range?.max !== undefined) schema.maximum = range.max
  if (defaultValue !== undefined) schema.default = defaultValue
  return {
    name: header ?? name,
    in: source,
    description: descriptionOf(parameter),
    ...(required && { required }),
    ...(schema.type === 'array' && { style: 'form', explode: false }),
    schema,
  }
}

function requestBody(parameters: readonly Parameter[]): JsonSchema {
  const body = parameters.filter(({ source }) => source === 'body')
  const required = body.filter((parameter) => parameter.required).map(({ name }) => name)
  const properties = body.map((parameter) => [
    parameter.name,
    { description: descriptionOf(parameter), ...inputSchema(parameter.type, constraintsOf(parameter)) },
  ])
  const examples = body.flatMap((parameter) => {
    const example = parameter.rule?.extensions.example
    return example === undefined ? [] : [[parameter.name, example]]
  })
  return {
    required: required.length > 0,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          ...(required.length > 0 && { required }),
          properties: Object.fromEntries(properties),
        },
        example: Object.fromEntries(examples),
      },
    },
  }
}

/** The error codes with which calls to this API can end, as a table. */
function errorTable(endpoints: readonly Endpoint[]): string {
  const used = new Set<ErrorCode>([...endpoints.flatMap(errorCodesOf), 'NOT_FOUND', 'METHOD_NOT_ALLOWED'])
  const rows = (Object.keys(ERROR_CODES) as ErrorCode[])
    .filter((code) => used.has(code))
    .map((code) => {
      const { status, meaning, remedy } = ERROR_CODES[code]
      return `| \`${code}\` | ${status} | ${meaning} | ${remedy} |`
    })
  return ['| code | status | meaning | remedy |', '|---|---|---|---|', ...rows].join('\n')
}
