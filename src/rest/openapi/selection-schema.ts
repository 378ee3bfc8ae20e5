import { isDeepStrictEqual } from 'node:util'
import {
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { type JsonSchema, orNull, scalarSchema } from './json-schema.js'

/** What the document's schemas are collected in: each object becomes one, under its fragment's or its type's name. */
export interface Components {
  schemas: Record<string, JsonSchema>
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** The types that some endpoint answers by themselves: their names are those of whole records. */
  records: ReadonlySet<string>
  /** The operation that is described, for the names of selections that differ from others of their type. */
  operation: string
}

interface Property {
  schema: JsonSchema
  example: unknown
}

/** The schema and an example of what a selection of an object's fields comes out as, by alias. */
export function selectionSchema(type: GraphQLObjectType, set: SelectionSetNode, components: Components): Property {
  const [only, ...more] = set.selections
  if (only?.kind === Kind.FRAGMENT_SPREAD && more.length === 0) {
    return fragmentSchema(type, only.name.value, components)
  }
  const parts: JsonSchema[] = []
  const properties: Record<string, JsonSchema> = {}
  const example: Record<string, unknown> = {}
  for (const node of set.selections) {
    if (node.kind === Kind.FIELD) {
      const key = node.alias?.value ?? node.name.value
      const property = fieldSchema(type, node.name.value, node.selectionSet, components)
      properties[key] = property.schema
      example[key] = property.example
    } else if (node.kind === Kind.FRAGMENT_SPREAD) {
      const part = fragmentSchema(type, node.name.value, components)
      parts.push(part.schema)
      Object.assign(example, part.example)
    }
  }
  const own = { type: 'object', required: Object.keys(properties), properties }
  return { schema: parts.length > 0 ? { allOf: [...parts, own] } : own, example }
}

/** An object by the name of its type; of what another record shows of it, by both names. */
function namedSchema(
  type: GraphQLObjectType,
  set: SelectionSetNode,
  components: Components,
  parent: GraphQLObjectType | undefined,
): Property {
  const { schema, example } = selectionSchema(type, set, components)
  if (schema.$ref) return { schema, example }
  const name = nameFor(type, schema, components, parent)
  components.schemas[name] = { title: name, description: type.description, ...schema, examples: [example] }
  return { schema: { $ref: `#/components/schemas/${name}` }, example }
}

function nameFor(
  { name }: GraphQLObjectType,
  schema: JsonSchema,
  { schemas, fragments, records, operation }: Components,
  parent: GraphQLObjectType | undefined,
): string {
  const reserved = new Set([...fragments.keys()].map((fragment) => fragment.replace(/Fields$/, '')))
  const verb = /^(Get|List)[A-Z]/.exec(operation)?.[1]
  const particular = `${verb === 'Get' ? 'Full' : verb === 'List' ? 'Listed' : operation}${name}`
  const shown = parent && !parent.getFields().items && records.has(name) && !name.startsWith(parent.name)
  const usual = shown ? `${parent.name}${name}` : name
  const found = [usual, particular].find((one) => {
    const { title, description, examples, ...taken } = schemas[one] ?? {}
    return !reserved.has(one) && (!schemas[one] || isDeepStrictEqual(taken, schema))
  })
  if (!found) throw new Error(`${operation}: there is no free name for its selection of ${name}: make it a fragment`)
  return found
}

function fragmentSchema(type: GraphQLObjectType, fragmentName: string, components: Components): Property {
  const fragment = components.fragments.get(fragmentName)!
  const { schema, example } = selectionSchema(type, fragment.selectionSet, components)
  const name = fragmentName.replace(/Fields$/, '')
  components.schemas[name] = { title: name, description: type.description, ...schema, examples: [example] }
  return { schema: { $ref: `#/components/schemas/${name}` }, example }
}

function fieldSchema(
  parent: GraphQLObjectType,
  name: string,
  set: SelectionSetNode | undefined,
  components: Components,
): Property {
  const { type, description, extensions } = parent.getFields()[name]!
  const { schema, example } = outputSchema(type, set, components, parent)
  Object.assign(schema, rangeOf(extensions))
  const told = description ? { description, ...schema } : schema
  return { schema: told, example: extensions.example ?? example }
}

function rangeOf({ minimum, maximum }: { minimum?: unknown; maximum?: unknown }): JsonSchema {
  return { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) }
}

const EXAMPLES: Record<string, unknown> = {
  String: 'text',
  ID: '0198f2f4-8c1e-7d35-9b1a-5a7c1e0f2d43',
  Int: 1,
  Float: 1.5,
  Boolean: true,
  DateTime: '2026-01-31T09:30:00.000Z',
  JSONObject: { segment: 'SMB' },
}

/** The schema of an output type; `set` is what is selected of it where it is an object. */
function outputSchema(
  type: GraphQLOutputType,
  set: SelectionSetNode | undefined,
  components: Components,
  parent?: GraphQLObjectType,
): Property {
  if (isNonNullType(type)) return nonNullOutput(type.ofType as GraphQLOutputType, set, components, parent)
  const { schema, example } = nonNullOutput(type, set, components, parent)
  return { schema: orNull(schema), example }
}

/** The same of a type that is known not to be null. */
export function nonNullOutput(
  type: GraphQLOutputType,
  set: SelectionSetNode | undefined,
  components: Components,
  parent?: GraphQLObjectType,
): Property {
  if (isListType(type)) {
    const item = outputSchema(type.ofType, set, components, parent)
    return { schema: { type: 'array', items: item.schema }, example: [item.example] }
  }
  if (isObjectType(type)) return namedSchema(type, set!, components, parent)
  if (isEnumType(type)) {
    const names = type.getValues().map((value) => value.name.toLowerCase())
    return { schema: { type: 'string', enum: names }, example: names[0] }
  }
  const scalar = getNamedType(type)
  if (!isScalarType(scalar)) throw new Error(`${String(type)} cannot be described: interfaces and unions are not known`)
  return { schema: scalarSchema(scalar), example: EXAMPLES[scalar.name] }
}
