import {
  type GraphQLOutputType,
  getNullableType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { isPermission } from '../../kit/permissions.js'
import type { ErrorKind, ErrorName } from '../../shared/errors.js'
import { type Api, kindIn } from '../api.js'
import type { Endpoint, RootField } from '../operation.js'
import { errorExample } from './error-examples.js'
import { exampleOf } from './examples.js'
import type { JsonSchema } from './json-schema.js'
import { type Components, nonNullOutput, selectionSchema } from './selection-schema.js'
import { constants, ENTRY_EXAMPLE, headerRefs, WARNING_MEMBERS } from './shared-components.js'

/** Every answer of an endpoint: success by its envelope, and each error status with its codes. */
export function responsesOf(api: Api, endpoint: Endpoint, components: Components): Record<string, JsonSchema> {
  const { mount } = endpoint
  const { schema, example } = successBody(api, endpoint, { ...components, operation: endpoint.operation.name })
  const names = ['X-Request-Id', ...Object.keys(api.document.callerHeaders)]
  if (mount.idempotent) names.push('Idempotent-Replayed')
  const content = { 'application/json': { schema, example } }
  const success = { description: mount.message ?? 'Success.', headers: headerRefs(names), content }
  const pending: Record<string, JsonSchema> = endpoint.operation.booked
    ? { 202: pendingResponse(api, names, components) }
    : {}
  return { [mount.status]: success, ...pending, ...errorResponses(api, endpoint, components) }
}

/** The answer to a booked call that is not done yet. */
function pendingResponse({ success, booked }: Api, names: string[], { schemas }: Components): JsonSchema {
  const { name, description } = booked!
  schemas.Pending ??= {
    title: 'Pending',
    description: 'What is told in the place of the outcome.',
    type: 'object',
    required: ['status'],
    properties: { status: { description: 'Always `pending`.', type: 'string', const: 'pending' } },
    examples: [{ status: 'pending' }],
  }
  const data = { $ref: '#/components/schemas/Pending' }
  const properties = { ...constants(success), [name]: { ...ENTRY, description }, data, ...WARNING_MEMBERS }
  const schema = { type: 'object', required: [...Object.keys(success), name, 'data'], properties }
  const example = { ...success, [name]: ENTRY_EXAMPLE, data: { status: 'pending' } }
  return {
    description: 'The call is known and not done yet; it will be without you.',
    headers: headerRefs(names),
    content: { 'application/json': { schema, example } },
  }
}

/** The body of success of an endpoint, as a schema and by example. */
export function successBody(
  { success, booked }: Pick<Api, 'success' | 'booked'>,
  { operation, mount }: Endpoint,
  components: Components,
): { schema: JsonSchema; example: unknown } {
  const properties: Record<string, JsonSchema> = constants(success)
  const body: Record<string, unknown> = { ...success }
  const required = Object.keys(success)
  const add = (name: string, schema: JsonSchema, value: unknown, always: boolean) => {
    properties[name] = schema
    body[name] = value
    if (always) required.push(name)
  }
  if (operation.booked) add(booked!.name, { ...ENTRY, description: booked!.description }, ENTRY_EXAMPLE, true)
  for (const root of operation.roots) {
    const set = selectionOf(operation, root)
    const inEnvelope = mount.envelope === 'PAGE' || root.spread
    const schema = rootSchema(root, set, root.spread ? { ...components, sparse: set } : components, inEnvelope)
    const example = exampleOf(root.type, set, components.fragments)
    if (mount.envelope === 'DATA') add('data', schema, example, true)
    else if (inEnvelope) {
      const always = schema.required as string[]
      for (const [name, member] of Object.entries(membersOf(schema))) {
        const value = (example as Record<string, unknown>)[name]
        const isThere = always.includes(name) && !isNullable(member)
        add(mount.envelope === 'PAGE' && name === 'items' ? 'data' : name, member, value, isThere)
      }
    } else add(root.key, schema, example, root.key === 'data' || isNonNullType(root.type))
  }
  if (mount.message !== undefined) add('message', { type: 'string' }, mount.message, true)
  Object.assign(properties, WARNING_MEMBERS)
  return { schema: { type: 'object', required, properties }, example: body }
}

/**
 * What a root field comes out as. A null root is a 404, so it is never null here. An object whose members stand in the
 * envelope has no name of its own.
 */
function rootSchema(
  root: RootField,
  set: SelectionSetNode | undefined,
  components: Components,
  inEnvelope: boolean,
): JsonSchema {
  const type = getNullableType(root.type) as GraphQLOutputType
  if (inEnvelope && isObjectType(type)) return selectionSchema(type, set!, components)
  return nonNullOutput(type, set, components)
}

function selectionOf({ node }: Endpoint['operation'], root: RootField): SelectionSetNode | undefined {
  const field = node.selectionSet.selections.find(
    (selection) => selection.kind === Kind.FIELD && (selection.alias ?? selection.name).value === root.key,
  )
  return field?.kind === Kind.FIELD ? field.selectionSet : undefined
}

const isNullable = ({ type, anyOf }: JsonSchema) => Array.isArray(type) || anyOf !== undefined

function membersOf(schema: JsonSchema): Record<string, JsonSchema> {
  return schema.properties as Record<string, JsonSchema>
}

/** The errors with which a call of the endpoint can end, by the codes of the API. */
export function errorKindsOf(api: Api, endpoint: Endpoint): ErrorKind[] {
  const { operation, mount, parameters } = endpoint
  const has = (source: string) => parameters.some((parameter) => parameter.source === source)
  const inBody = parameters.filter(({ source }) => source === 'body')
  const ofInputs = (api.inputErrors ?? []).filter(({ field, missing }) =>
    inBody.some((parameter) => (missing ? parameter.required : parameter.name === field)),
  )
  const names: ErrorName[] = ['VALIDATION_ERROR', ...ofInputs.map(({ error }) => error), ...api.admissionErrors]
  if (isPermission(operation.access)) names.push('INSUFFICIENT_PERMISSIONS')
  // Where an operation has a 404 of its own, it is what a record that is not there is told with.
  const misses = has('path') && !operation.errors.some((name) => kindIn(api, name).status === 404)
  if (misses || (mount.envelope === 'DATA' && !isNonNullType(operation.roots[0]!.type))) names.push('NOT_FOUND')
  if (has('body')) names.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  if (mount.idempotent) names.push('IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED')
  // The books of a journal stay as they are, but for what a creation has made.
  if (mount.idempotent && (!operation.booked || mount.status === 201)) names.push('RESOURCE_DELETED')
  names.push(...operation.errors, 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE')
  const kinds = names.map((name) => kindIn(api, name))
  return [...new Map(kinds.map((kind) => [kind.code, kind])).values()]
}

function errorResponses(api: Api, endpoint: Endpoint, { schemas }: Components): Record<string, JsonSchema> {
  const byStatus = Map.groupBy(errorKindsOf(api, endpoint), ({ status }) => status)
  const sorted = [...byStatus].sort(([a], [b]) => a - b)
  return Object.fromEntries(
    sorted.map(([status, kinds]) => [status, errorResponse(api, endpoint, status, kinds, schemas)]),
  )
}

function errorResponse(
  api: Api,
  endpoint: Endpoint,
  status: number,
  kinds: ErrorKind[],
  schemas: Components['schemas'],
): JsonSchema {
  const description = kinds.map(({ code, meaning }) => `\`${code}\`: ${meaning}`).join('\n')
  const names = ['X-Request-Id']
  if (status !== 401 && status < 500) names.push(...Object.keys(api.document.callerHeaders))
  if ([429, 503].includes(status)) names.push('Retry-After')
  const codes = kinds.map(({ code }) => code)
  // Answers that can end with the same codes are one type to a generated client.
  const name = codes.map(pascal).join('Or')
  schemas[name] ??= {
    title: name,
    description: kinds.map(({ meaning }) => meaning).join(' '),
    allOf: [
      { $ref: '#/components/schemas/Error' },
      {
        type: 'object',
        properties: { error: { type: 'object', properties: { code: { type: 'string', enum: codes } } } },
      },
    ],
  }
  const schema: JsonSchema = { $ref: `#/components/schemas/${name}` }
  const examples = Object.fromEntries(kinds.map((kind) => [kind.code, { value: errorExample(api, endpoint, kind) }]))
  return { description, headers: headerRefs(names), content: { 'application/json': { schema, examples } } }
}

/** `NOT_FOUND` as the name of a type. */
const pascal = (code: string) => code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

const ENTRY: JsonSchema = { type: 'string', format: 'uuid' }
