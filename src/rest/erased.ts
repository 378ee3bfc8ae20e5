import { type GraphQLObjectType, getNamedType, isObjectType, Kind, type SelectionSetNode } from 'graphql'
import { fragmentsOf } from '../graphql/index.js'
import { afterErasure } from '../kit/erasure.js'
import type { Endpoint } from './operation.js'

/**
 * The members of an answer's `data` that tell of somebody else than what the call wrote, with what is in them once that
 * one is erased, as JSON. Null where there are none: then the whole answer goes.
 */
export function erasedMembers({ operation, mount }: Endpoint): string | null {
  const members = new Map<string, unknown>()
  for (const node of operation.node.selectionSet.selections) {
    if (node.kind !== Kind.FIELD || !node.selectionSet) continue
    const root = operation.roots.find(({ key }) => key === (node.alias ?? node.name).value)!
    const type = getNamedType(root.type)
    if (!isObjectType(type)) continue
    if (mount.envelope === 'DATA' || root.key === 'data') collect(type, node.selectionSet, operation, members)
    else if (root.spread) collectSpread(type, node.selectionSet, operation, members)
  }
  return members.size === 0 ? null : JSON.stringify(Object.fromEntries(members))
}

type Operation = Endpoint['operation']

/** Of a root field whose members stand beside `success`, the one that is `data`. */
function collectSpread(
  type: GraphQLObjectType,
  set: SelectionSetNode,
  operation: Operation,
  members: Map<string, unknown>,
): void {
  for (const node of set.selections) {
    if (node.kind !== Kind.FIELD || (node.alias ?? node.name).value !== 'data' || !node.selectionSet) continue
    const data = getNamedType(type.getFields()[node.name.value]!.type)
    if (isObjectType(data)) collect(data, node.selectionSet, operation, members)
  }
}

function collect(
  type: GraphQLObjectType,
  set: SelectionSetNode,
  operation: Operation,
  members: Map<string, unknown>,
): void {
  for (const node of set.selections) {
    if (node.kind === Kind.FIELD) {
      const erased = afterErasure(type.getFields()[node.name.value]!)
      if (erased) members.set((node.alias ?? node.name).value, erased.value)
    } else if (node.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = fragmentsOf(operation.document).get(node.name.value)
      if (fragment) collect(type, fragment.selectionSet, operation, members)
    }
  }
}
