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

/** What the document's schemas are collected in: each fragment becomes one, under its type's name. */
export interface Components {
  schemas: Record<string, JsonSchema>
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
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
  const { schema, example } = outputSchema(type, set, components)
  const told = description ? { description, ...schema } : schema
  return { schema: told, example: extensions.example ?? example }
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
function outputSchema(type: GraphQLOutputType, set: SelectionSetNode | undefined, components: Components): Property {
  if (isNonNullType(type)) return nonNullOutput(type.ofType as GraphQLOutputType, set, components)
  const { schema, example } = nonNullOutput(type, set, components)
  return { schema: orNull(schema), example }
}

/** The same of a type that is known not to be null. */
export function nonNullOutput(
  type: GraphQLOutputType,
  set: SelectionSetNode | undefined,
  components: Components,
): Property {
  if (isListType(type)) {
    const item = outputSchema(type.ofType, set, components)
    return { schema: { type: 'array', items: item.schema }, example: [item.example] }
  }
  if (isObjectType(type)) return selectionSchema(type, set!, components)
  if (isEnumType(type)) {
    const names = type.getValues().map((value) => value.name.toLowerCase())
    return { schema: { type: 'string', enum: names }, example: names[0] }
  }
  const scalar = getNamedType(type)
  if (!isScalarType(scalar)) throw new Error(`${String(type)} cannot be described: interfaces and unions are not known`)
  return { schema: scalarSchema(scalar), example: EXAMPLES[scalar.name] }
}
