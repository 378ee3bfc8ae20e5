import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { type Access, isPermission, type Permission } from '../kit/permissions.js'

/** A field that an operation may show, and the permission that it takes to see it. */
export interface Shown {
  /** `Contact.email` */
  field: string
  permission: Permission
}

/** What an operation demands of its caller, whatever its variables are. */
export interface Demands {
  /** Whether it can be run without a key. */
  public: boolean
  shown: readonly Shown[]
  /** What its root fields require. */
  roots: ReadonlySet<Access>
}

/**
 * What an operation demands: of its root fields what they require, of every field below them the read permission of the
 * type that has it. Fields under `@include` and `@skip` count as shown.
 */
export function demandsOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Demands {
  const root = schema.getRootType(operation.operation)
  const found = new Map<string, Shown>()
  const roots = new Set<Access>()
  const demands = { public: true, shown: [] as Shown[], roots }
  const demand = (access: Access | undefined, field: string) => {
    if (!access || !isPermission(access)) return
    demands.public = false
    found.set(`${access} ${field}`, { field, permission: access })
  }
  const fragments = fragmentsOf(document)
  const seen = new Set<string>()

  const look = (type: GraphQLObjectType, set: SelectionSetNode): void => {
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) {
        const field = type.getFields()[node.name.value]
        if (!field) continue // __typename and introspection
        const path = `${type.name}.${field.name}`
        demand(field.extensions.access as Access | undefined, path)
        if (type === root) roots.add(accessOfRoot(field))
        if (type !== root) demand(type.extensions.access as Access | undefined, path)
        if (node.selectionSet) lookBelow(field, node.selectionSet)
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        look(type, node.selectionSet)
      } else if (!seen.has(`${type.name} ${node.name.value}`)) {
        seen.add(`${type.name} ${node.name.value}`)
        const fragment = fragments.get(node.name.value)
        if (fragment) look(type, fragment.selectionSet)
      }
    }
  }
  const lookBelow = (field: GraphQLField<unknown, unknown>, set: SelectionSetNode) => {
    const type = getNamedType(field.type)
    // Without interfaces and unions a field's type is the type of what it shows.
    if (!isObjectType(type)) throw new Error(`${field.name} shows a ${type.name}, which is no object type`)
    look(type, set)
  }

  if (root) look(root, operation.selectionSet)
  for (const access of roots) if (access !== 'public') demands.public = false
  demands.shown = [...found.values()]
  return demands
}

/** What a root field requires; one that does not say it is not public. */
const accessOfRoot = ({ extensions }: GraphQLField<unknown, unknown>): Access =>
  (extensions.access as Access | undefined) ?? 'any'

/** The fragments that a document defines, by name. */
export function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  return new Map(
    definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  )
}
