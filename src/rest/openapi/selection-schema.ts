import { isDeepStrictEqual } from 'node:util'
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { exampleRecord } from './examples.js'
import { type JsonSchema, orNull, scalarSchema } from './json-schema.js'

/** What the document's schemas are collected in: each object becomes one, under its fragment's or its type's name. */
export interface Components {
  schemas: Record<string, JsonSchema>
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** The types that some endpoint answers by themselves: their names are those of whole records. */
  records: ReadonlySet<string>
  /** The operation that is described, for the names of selections that differ from others of their type. */
  operation: string
  /** The selection whose members are left out where they are null. */
  sparse?: SelectionSetNode
}

/** The schema of what a selection of an object's fields comes out as, by alias. */
export function selectionSchema(type: GraphQLObjectType, set: SelectionSetNode, components: Components): JsonSchema {
  const [only, ...more] = set.selections
  if (only?.kind === Kind.FRAGMENT_SPREAD && more.length === 0) {
    return fragmentSchema(type, only.name.value, components)
  }
  const parts: JsonSchema[] = []
  const properties: Record<string, JsonSchema> = {}
  const conditional = new Set<string>()
  for (const node of set.selections) {
    if (node.kind === Kind.FIELD) {
      const key = node.alias?.value ?? node.name.value
      if (isConditional(node) || leftOut(type, node, set, components)) conditional.add(key)
      properties[key] = fieldSchema(type, node, components, set)
    } else if (node.kind === Kind.FRAGMENT_SPREAD) {
      parts.push(fragmentSchema(type, node.name.value, components))
    }
  }
  const required = Object.keys(properties).filter((key) => !conditional.has(key))
  const own = { type: 'object', ...(required.length > 0 && { required }), properties }
  return parts.length > 0 ? { allOf: [...parts, own] } : own
}

/** Whether a field is asked for only now and then: by @include or @skip. */
const isConditional = ({ directives }: FieldNode) => directives?.some(({ name }) => name.value !== 'sparse') === true

/** Whether a field is a member of what is sparse, and can be null. */
function leftOut(type: GraphQLObjectType, { name }: FieldNode, set: SelectionSetNode, { sparse }: Components): boolean {
  return sparse === set && !isNonNullType(type.getFields()[name.value]!.type)
}

/** An object by the name of its type; of what another record shows of it, by both names. */
function namedSchema(
  type: GraphQLObjectType,
  set: SelectionSetNode,
  components: Components,
  parent: GraphQLObjectType | undefined,
): JsonSchema {
  const schema = selectionSchema(type, set, components)
  if (schema.$ref) return schema
  const name = nameFor(type, schema, components, parent)
  return named(name, type, schema, set, components)
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

function fragmentSchema(type: GraphQLObjectType, fragmentName: string, components: Components): JsonSchema {
  const fragment = components.fragments.get(fragmentName)!
  const schema = selectionSchema(type, fragment.selectionSet, components)
  return named(fragmentName.replace(/Fields$/, ''), type, schema, fragment.selectionSet, components)
}

/** Puts a schema among the components, with an example, and refers to it. */
function named(
  name: string,
  type: GraphQLObjectType,
  schema: JsonSchema,
  set: SelectionSetNode,
  { schemas, fragments }: Components,
): JsonSchema {
  const examples = [exampleRecord(type, set, fragments)]
  schemas[name] = { title: name, description: type.description, ...schema, examples }
  return { $ref: `#/components/schemas/${name}` }
}

function fieldSchema(
  parent: GraphQLObjectType,
  node: FieldNode,
  components: Components,
  among: SelectionSetNode,
): JsonSchema {
  const { type, description, extensions } = parent.getFields()[node.name.value]!
  const set = node.selectionSet
  const isSparse = node.directives?.some(({ name }) => name.value === 'sparse')
  const within = { ...components, sparse: isSparse ? set : undefined }
  const outer = leftOut(parent, node, among, components) ? new GraphQLNonNull(getNullableType(type)) : type
  const schema = { ...outputSchema(outer, set, within, parent), ...rangeOf(extensions) }
  return description ? { description, ...schema } : schema
}

function rangeOf({ minimum, maximum }: { minimum?: unknown; maximum?: unknown }): JsonSchema {
  return { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) }
}

/** The schema of an output type; `set` is what is selected of it where it is an object. */
function outputSchema(
  type: GraphQLOutputType,
  set: SelectionSetNode | undefined,
  components: Components,
  parent?: GraphQLObjectType,
): JsonSchema {
  if (isNonNullType(type)) return nonNullOutput(type.ofType as GraphQLOutputType, set, components, parent)
  return orNull(nonNullOutput(type, set, components, parent))
}

/** The same of a type that is known not to be null. */
export function nonNullOutput(
  type: GraphQLOutputType,
  set: SelectionSetNode | undefined,
  components: Components,
  parent?: GraphQLObjectType,
): JsonSchema {
  if (isListType(type)) {
    return { type: 'array', items: outputSchema(type.ofType, set, components, parent) }
  }
  if (isObjectType(type)) return namedSchema(type, set!, components, parent)
  if (isEnumType(type)) {
    return { type: 'string', enum: type.getValues().map(({ name }) => name.toLowerCase()) }
  }
  const scalar = getNamedType(type)
  if (!isScalarType(scalar)) throw new Error(`${String(type)} cannot be described: interfaces and unions are not known`)
  return scalarSchema(scalar)
}
