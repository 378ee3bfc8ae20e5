import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { fragmentsOf } from '../../graphql/index.js'
import type { Endpoint } from '../operation.js'

/**
 * Where a tool's answers hold text that people outside of the account wrote, by the names of the answer: `data[].name`.
 * An assistant must take it for data, whatever it says.
 */
export function foreignPaths(schema: GraphQLSchema, { operation, mount }: Endpoint): string[] {
  const fragments = fragmentsOf(operation.document)
  const found = new Set<string>()
  const look = (type: GraphQLObjectType, set: SelectionSetNode, path: string): void => {
    for (const node of set.selections) {
      if (node.kind === Kind.INLINE_FRAGMENT) look(type, node.selectionSet, path)
      else if (node.kind === Kind.FRAGMENT_SPREAD) look(type, fragments.get(node.name.value)!.selectionSet, path)
      else {
        const field = type.getFields()[node.name.value]
        if (!field) continue // __typename
        const name = `${path}${(node.alias ?? node.name).value}${isList(field.type) ? '[]' : ''}`
        if (field.extensions.foreign) found.add(name)
        const inner = getNamedType(field.type)
        if (isObjectType(inner) && node.selectionSet) look(inner, node.selectionSet, `${name}.`)
      }
    }
  }
  look(schema.getRootType(operation.node.operation)!, operation.node.selectionSet, '')
  const roots = operation.roots.map(({ key, type, spread }) => ({ key, list: isList(type), spread }))
  return [...found].map((path) => placed(path, roots, mount.envelope))
}

const isList = (type: GraphQLOutputType) => isListType(getNullableType(type))

interface Root {
  key: string
  list: boolean
  /** Whether what is in it stands in its place. */
  spread: boolean
}

/** The envelope puts a root field into `data`, and a page's items too. */
function placed(path: string, roots: readonly Root[], envelope: string): string {
  if (envelope === 'FIELDS') {
    const around = roots.find(({ key, spread }) => spread && path.startsWith(`${key}.`))
    return around ? path.slice(around.key.length + 1) : path
  }
  const [{ key, list }] = roots as [Root]
  const inside = path.slice(key.length + (list ? 2 : 0))
  return envelope === 'PAGE' ? inside.replace(/^\.items/, 'data') : `data${list ? '[]' : ''}${inside}`
}
