import { getNamedType, isObjectType } from 'graphql'
import { fragmentsOf } from '../../graphql/index.js'
import { isPermission } from '../../kit/permissions.js'
import type { ErrorKind } from '../../shared/errors.js'
import { SERVICE } from '../../shared/service.js'
import { type Api, kindIn, type PathParameter } from '../api.js'
import type { Endpoint, Parameter } from '../operation.js'
import { parameterExample } from './examples.js'
import { type JsonSchema, parameterSchema } from './json-schema.js'
import { bodySchema, bounded, constraintsOf, descriptionOf } from './parameters.js'
import { errorKindsOf, responsesOf } from './responses.js'
import type { Components } from './selection-schema.js'
import { errorSchema, HEADERS, headerComponents, WARNINGS_SCHEMA } from './shared-components.js'

/** The OpenAPI 3.1 document of an API's endpoints: all of it follows from the stored operations, the schema and the API. */
export function openApiDocument(api: Api, endpoints: readonly Endpoint[]): JsonSchema {
  const { base, document } = api
  const components = componentsOf(endpoints)
  const paths: Record<string, Record<string, JsonSchema>> = {}
  const errors = errorKinds(api, endpoints)
  const sorted = endpoints.toSorted((a, b) => (a.mount.path < b.mount.path ? -1 : 1))
  for (const endpoint of sorted) {
    const path = pathOf(api, endpoint)
    paths[path] ??= {}
    paths[path][endpoint.mount.method.toLowerCase()] = operationObject(api, endpoint, components)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: document.title,
      version: SERVICE.version,
      description: `${document.description}\n\n${errorTable(errors)}`,
      ...document.info,
    },
    servers: [{ url: base }],
    security: Object.keys(document.securitySchemes).map((name) => ({ [name]: [] })),
    tags: tagsOf(endpoints),
    'x-errors': errors,
    paths,
    components: {
      schemas: { ...components.schemas, Error: errorSchema(api), Warnings: WARNINGS_SCHEMA },
      headers: headerComponents({ ...HEADERS, ...document.callerHeaders }),
      securitySchemes: document.securitySchemes,
    },
  }
}

/** An endpoint's path below the base, as OpenAPI spells it. */
function pathOf({ owner }: Api, { mount }: Endpoint): string {
  const path = mount.path.replaceAll(/:(\w+)/g, '{$1}')
  return owner ? `/{${owner.name}}${path}` : path
}

/** What the schemas of the endpoints' answers are collected in. */
export function componentsOf(endpoints: readonly Endpoint[]): Components {
  return {
    schemas: {},
    fragments: new Map(endpoints.flatMap(({ operation }) => [...fragmentsOf(operation.document)])),
    records: recordsOf(endpoints),
    operation: '',
  }
}

/** The types of what the endpoints answer: of a page its items. */
function recordsOf(endpoints: readonly Endpoint[]): Set<string> {
  const types = endpoints.flatMap(({ operation }) => operation.roots.map(({ type }) => getNamedType(type)))
  const records = types.map((type) => {
    const items = isObjectType(type) ? type.getFields().items : undefined
    return items ? getNamedType(items.type) : type
  })
  return new Set(records.map(({ name }) => name))
}

/** Endpoints are grouped by the first part of their path. */
const tagOf = ({ mount }: Endpoint): string => mount.path.split('/')[1]?.replaceAll('-', ' ') || 'key'

function tagsOf(endpoints: readonly Endpoint[]) {
  const names = [...new Set(endpoints.map(tagOf))].sort()
  return names.map((name) => ({ name, description: `Endpoints about ${name}.` }))
}

function operationObject(api: Api, endpoint: Endpoint, components: Components): JsonSchema {
  const { operation, mount, parameters } = endpoint
  const { access } = operation
  const demanded = [...(isPermission(access) ? [access] : []), ...mount.needs]
  const needs = demanded.length === 0 ? 'No permission is needed.' : `Needs \`${demanded.join('` and `')}\`.`
  const further = parameters.flatMap((parameter) => {
    const { access } = constraintsOf(parameter)
    return access ? [` \`${parameter.name}\` needs \`${access}\` too.`] : []
  })
  const listed = parameters.filter(({ source }) => source !== 'body').map((one) => parameterObject(one, mount.path))
  if (api.owner) listed.unshift(ownerObject(api.owner))
  listed.push(PREFER)
  if (mount.idempotent) listed.push(IDEMPOTENCY_KEY)
  const [summary] = operation.summary.split(/(?<=\.)\s/)
  return {
    operationId: operationId(endpoint),
    summary: summary!.replace(/\.$/, ''),
    description: `${operation.summary}\n\n${needs}${further.join('')}`,
    tags: [tagOf(endpoint)],
    ...(isPermission(access) && { 'x-required-permission': access }),
    parameters: listed,
    ...(parameters.some(({ source }) => source === 'body') && { requestBody: requestBody(endpoint, components) }),
    responses: responsesOf(api, endpoint, components),
  }
}

/** The operation's name; where it is mounted again, with that method: `updateChannels`, `updateChannelsByPost`. */
function operationId({ operation: { name, mounts }, mount }: Endpoint): string {
  const usual = name[0]!.toLowerCase() + name.slice(1)
  return mounts.indexOf(mount) <= 0 ? usual : `${usual}By${mount.method[0]}${mount.method.slice(1).toLowerCase()}`
}

const ownerObject = ({ name, description, example }: PathParameter): JsonSchema => ({
  name,
  in: 'path',
  description,
  required: true,
  schema: { type: 'string' },
  example,
})

const PREFER: JsonSchema = {
  name: 'Prefer',
  in: 'header',
  description: 'With `handling=strict` (RFC 7240) whatever would be warned of is refused.',
  schema: { type: 'string', maxLength: 255 },
  example: 'handling=strict',
}

const IDEMPOTENCY_KEY: JsonSchema = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A text of your choice, new for each call: repeats with the same one happen once and are answered alike.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  example: 'import-2026-01-31-0001',
}

function parameterObject(parameter: Parameter, path: string): JsonSchema {
  const { name, source, header, type, required } = parameter
  const schema = bounded(parameterSchema(type, constraintsOf(parameter)), parameter)
  const example = parameterExample(parameter, path)
  return {
    name: header ?? name,
    in: source,
    description: descriptionOf(parameter),
    ...(required && { required }),
    ...(schema.type === 'array' && { style: 'form', explode: false }),
    schema,
    ...(example !== undefined && { example }),
  }
}

function requestBody({ operation, parameters }: Endpoint, { schemas }: Components): JsonSchema {
  const body = parameters.filter(({ source }) => source === 'body')
  const examples = body.flatMap((parameter) => {
    const example = parameter.rule?.extensions.example
    return example === undefined ? [] : [[parameter.name, example]]
  })
  const title = `${operation.name}Request`
  schemas[title] = {
    title,
    description: `What to send: ${operation.summary}`,
    ...bodySchema(body),
  }
  return {
    required: body.some(({ required }) => required),
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${title}` },
        example: Object.fromEntries(examples),
      },
    },
  }
}

/** The error codes with which calls to this API can end, by status. */
function errorKinds(api: Api, endpoints: readonly Endpoint[]): ErrorKind[] {
  const kinds = [
    ...endpoints.flatMap((endpoint) => errorKindsOf(api, endpoint)),
    ...OUTSIDE.map((name) => kindIn(api, name)),
  ]
  const byCode = new Map(kinds.map(({ code, status, meaning, remedy }) => [code, { code, status, meaning, remedy }]))
  return [...byCode.values()].sort((a, b) => a.status - b.status)
}

/** The same as a table in Markdown. */
function errorTable(kinds: readonly ErrorKind[]): string {
  const rows = kinds.map(({ code, status, meaning, remedy }) => `| \`${code}\` | ${status} | ${meaning} | ${remedy} |`)
  return ['| code | status | meaning | remedy |', '|---|---|---|---|', ...rows].join('\n')
}

/** Errors of calls that reach no endpoint. */
const OUTSIDE = ['NOT_FOUND', 'METHOD_NOT_ALLOWED'] as const
