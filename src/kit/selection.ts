import type { FieldNode, FragmentDefinitionNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql'

/** The fields that an operation asks of an object, each with what it asks of it in turn. */
export type Selection = ReadonlyMap<string, Selection>

const EMPTY: Selection = new Map()
const known = new WeakMap<FieldNode, Selection>()

/**
 * What the operation selects below the field that is being resolved. Fields under `@include` or `@skip` count as
 * selected: one column too many is harmless, one missing is not.
 */
export function selectionOf(info: GraphQLResolveInfo): Selection {
  const [first, ...more] = info.fieldNodes
  if (more.length > 0) return collect(info.fieldNodes, info.fragments)
  let selection = known.get(first!)
  if (!selection) {
    selection = collect(info.fieldNodes, info.fragments)
    known.set(first!, selection)
  }
  return selection
}

/** The part of a selection below a chain of fields; empty where nothing is asked for. */
export function below(selection: Selection, ...fields: string[]): Selection {
  return fields.reduce((part, field) => part.get(field) ?? EMPTY, selection)
}

type Fragments = Readonly<Record<string, FragmentDefinitionNode>>

function collect(nodes: readonly FieldNode[], fragments: Fragments): Selection {
  const fields = new Map<string, FieldNode[]>()
  for (const node of nodes) if (node.selectionSet) gather(node.selectionSet, fragments, fields)
  return new Map([...fields].map(([name, found]) => [name, collect(found, fragments)]))
}

function gather(set: SelectionSetNode, fragments: Fragments, into: Map<string, FieldNode[]>): void {
  for (const node of set.selections) {
    if (node.kind === 'Field') {
      const found = into.get(node.name.value)
      if (found) found.push(node)
      else into.set(node.name.value, [node])
    } else {
      const fragment = node.kind === 'FragmentSpread' ? fragments[node.name.value] : node
      if (fragment) gather(fragment.selectionSet, fragments, into)
    }
  }
}
