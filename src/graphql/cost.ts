import {
  type DocumentNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { fragmentsOf } from './shown.js'

/** So many records or lists that are looked up below the root fields count as much as one of these. */
const LOOKUPS_PER_REQUEST = 5

interface Counts {
  roots: number
  lookups: number
}

/**
 * How many requests an operation counts for: each root field one, as the REST call that it stands for, and every five
 * records or lists that have to be looked up below them one more; at least 1. `@include` and `@skip` do not count.
 */
export function costOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): number {
  const fragments = fragmentsOf(document)
  const root = schema.getRootType(operation.operation)!
  const known = new Map<string, Counts>()

  const countFragment = (type: GraphQLObjectType, name: string): Counts => {
    let counts = known.get(name)
    if (!counts) {
      counts = count(type, fragments.get(name)!.selectionSet)
      known.set(name, counts)
    }
    return counts
  }
  const countField = (type: GraphQLObjectType, name: string, set: SelectionSetNode | undefined): Counts => {
    const field = type.getFields()[name]
    const below = field && getNamedType(field.type)
    if (!field || !isObjectType(below) || !set) return { roots: type === root ? 1 : 0, lookups: 0 }
    const { lookups } = count(below, set)
    if (type === root) return { roots: 1, lookups }
    return { roots: 0, lookups: lookups + (field.resolve ? 1 : 0) }
  }
  const count = (type: GraphQLObjectType, set: SelectionSetNode): Counts => {
    const total = { roots: 0, lookups: 0 }
    for (const node of set.selections) {
      const { roots, lookups } =
        node.kind === Kind.FIELD
          ? countField(type, node.name.value, node.selectionSet)
          : node.kind === Kind.INLINE_FRAGMENT
            ? count(type, node.selectionSet)
            : countFragment(type, node.name.value)
      total.roots += roots
      total.lookups += lookups
    }
    return total
  }

  const { roots, lookups } = count(root, operation.selectionSet)
  return Math.max(roots, 1) + Math.floor(lookups / LOOKUPS_PER_REQUEST)
}
