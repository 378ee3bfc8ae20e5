import {
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { exampleId } from '../../kit/documentation.js'
import type { Parameter } from '../operation.js'

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/** The instants of a record of which nothing else is said: it was created, and changed later. */
const CREATED = '2026-01-20T10:15:00.000Z'
const LATER = '2026-01-31T09:30:00.000Z'

/**
 * What the examples of the documentation show of a type: one story, in which an id is one record wherever it appears.
 * A list shows all records that its type tells of. `index` says which of them.
 */
export function exampleOf(
  type: GraphQLOutputType,
  set: SelectionSetNode | undefined,
  fragments: Fragments,
  index = 0,
): unknown {
  const bare = getNullableType(type)
  if (isListType(bare)) {
    const item = getNullableType(bare.ofType) as GraphQLOutputType
    const records = isObjectType(item) ? recordsOf(item).length : 0
    return Array.from({ length: Math.max(records, 1) }, (_, i) => exampleOf(item, set, fragments, i))
  }
  if (isObjectType(bare)) return exampleRecord(bare, set!, fragments, index)
  if (isEnumType(bare)) return bare.getValues()[0]!.name.toLowerCase()
  return undefined
}

/** An example of what is selected of an object, by the names under which it is answered. */
export function exampleRecord(
  type: GraphQLObjectType,
  set: SelectionSetNode,
  fragments: Fragments,
  index = 0,
): Record<string, unknown> {
  const example: Record<string, unknown> = {}
  for (const node of set.selections) {
    if (node.kind === Kind.FIELD) {
      const value = fieldExample(type, node.name.value, node.selectionSet, fragments, index)
      if (value === undefined) throw new Error(`${type.name}.${node.name.value} has no @Example for the documentation`)
      example[node.alias?.value ?? node.name.value] = value
    } else if (node.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = fragments.get(node.name.value)!
      Object.assign(example, exampleRecord(type, fragment.selectionSet, fragments, index))
    }
  }
  return example
}

const recordsOf = ({ extensions }: GraphQLObjectType) => (extensions.examples ?? []) as Record<string, unknown>[]

function fieldExample(
  parent: GraphQLObjectType,
  name: string,
  set: SelectionSetNode | undefined,
  fragments: Fragments,
  index: number,
): unknown {
  const record = recordsOf(parent)[index]
  if (record && Object.hasOwn(record, name)) return record[name]
  const { type, extensions } = parent.getFields()[name]!
  if (extensions.example !== undefined) return extensions.example
  switch (String(getNullableType(type))) {
    case 'ID':
      return exampleId(name === 'id' ? parent.name : pascal(name.replace(/Id$/, '')))
    case 'DateTime':
      return name === 'createdAt' ? CREATED : LATER
    case 'Boolean':
      return true
    default:
      return exampleOf(type, set, fragments)
  }
}

/** An example of a parameter that is not in the body: of an id that of the story's record. */
export function parameterExample({ name, source, type, rule }: Parameter, path: string): unknown {
  if (rule?.extensions.example !== undefined) return rule.extensions.example
  if (getNamedType(type).name !== 'ID' || isListType(getNullableType(type))) return undefined
  return exampleId(source === 'path' && name === 'id' ? recordOf(path) : pascal(name.replace(/_id$/, '')))
}

/** `InstagramAgent` of `/instagram-agents/:id/profiles`. */
const recordOf = (path: string) => pascal(path.split('/')[1]!.replace(/ies$/, 'y').replace(/s$/, ''))

const pascal = (words: string) => words.replaceAll(/(?:^|[-_])(\w)/g, (_, letter: string) => letter.toUpperCase())
