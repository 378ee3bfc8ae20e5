import {
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql'
import { demandsOf } from '../graphql/index.js'
import { compileBind } from './bind.js'
import type { Envelope } from './directives.js'
import type { Endpoint, Operation, RootField } from './operation.js'
import { pathNames } from './parameters.js'

const METHODS_THAT_READ = new Set(['GET'])

/** What must hold of an operation wherever it is mounted; throws the first thing that does not. */
export function checkOperation({ summary, mounts, tool, mutation, roots, access }: Operation): void {
  if (!summary) throw new Error('a comment above the operation must say what the endpoint does')
  if (mounts.length === 0 && !tool) {
    throw new Error('the operation is not mounted: add @rest(method: …, path: …) or @tool(title: …)')
  }
  if (!access) throw new Error('the root field does not say what it requires')
  for (const { method, envelope } of mounts) {
    if (mutation === METHODS_THAT_READ.has(method)) throw new Error(`a ${mutation ? 'mutation' : 'query'} on ${method}`)
    checkEnvelope(envelope, roots)
  }
  if (mounts.length === 0) checkEnvelope(tool!.envelope, roots)
}

function checkEnvelope(envelope: Envelope, roots: readonly RootField[]): void {
  if (envelope !== 'FIELDS' && roots.length !== 1) throw new Error(`the envelope ${envelope} wants one root field`)
  if (envelope === 'PAGE') checkPage(roots[0]!)
}

function checkPage({ field, type }: RootField): void {
  const page = getNullableType(type)
  const fields = isObjectType(page) ? page.getFields() : {}
  if (!fields.items || !fields.pagination) throw new Error(`${field} is no page: it lacks items or pagination`)
}

/**
 * An operation shows what its permissions let see, and exactly those exceptions that its API names: whoever selects one
 * field more learns of it here.
 */
export function checkShown(
  schema: GraphQLSchema,
  { document, node, access, mounts }: Operation,
  exceptions: readonly string[],
) {
  const unused = new Set(exceptions)
  const { shown } = demandsOf(schema, document, node)
  for (const { field, permission } of shown) {
    if (permission === access || mounts.every(({ needs }) => needs.includes(permission))) continue
    const exception = [field, field.split('.')[0]!].find((name) => exceptions.includes(name))
    if (!exception) throw new Error(`it shows ${field}, which takes ${permission}: its API names no such exception`)
    unused.delete(exception)
  }
  const taken = new Set(shown.map(({ permission }) => permission))
  const idle = mounts.flatMap(({ needs }) => needs).find((need) => !taken.has(need))
  if (idle) throw new Error(`it needs ${idle}, which nothing that it shows takes`)
  const [superfluous] = unused
  if (superfluous) throw new Error(`its API excepts ${superfluous}, which it does not show`)
}

/** What must hold of one mount of an operation. */
export function checkEndpoint(endpoint: Endpoint): Endpoint {
  const { mount, parameters, operation } = endpoint
  if (!/^\/([\w-]+|:\w+)?(\/([\w-]+|:\w+))*$/.test(mount.path)) throw new Error(`the path ${mount.path} is malformed`)
  for (const name of pathNames(mount.path)) {
    if (!parameters.some((parameter) => parameter.name === name)) throw new Error(`no variable is named $${name}`)
  }
  for (const { name, type, source, targets } of parameters) {
    requireJsonSchema(type)
    if (targets.length === 0) throw new Error(`$${name} fills no argument`)
    if (source === 'path' && !String(type).endsWith('!'))
      throw new Error(`$${name} stands in the path: make it non-null`)
  }
  for (const { spread, type } of operation.roots) {
    if (spread && !isObjectType(getNullableType(type))) throw new Error('only an object can be spread')
    if (spread && mount.envelope !== 'FIELDS') throw new Error('@spread goes with the envelope FIELDS')
  }
  compileBind(endpoint) // a type that cannot come from its source shows here
  return endpoint
}

function requireJsonSchema(type: GraphQLType, seen = new Set<GraphQLType>()): void {
  const named = getNamedType(type)
  if (seen.has(named)) return
  seen.add(named)
  if (isInputObjectType(named)) {
    for (const field of Object.values(named.getFields())) requireJsonSchema(field.type, seen)
  } else if (isScalarType(named) && !isSpecifiedScalarType(named) && !named.extensions.jsonSchema) {
    throw new Error(`the scalar ${named.name} has no JSON Schema (extensions.jsonSchema)`)
  }
}
