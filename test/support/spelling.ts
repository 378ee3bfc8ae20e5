import {
  type DocumentNode,
  type GraphQLOutputType,
  type GraphQLSchema,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'

type Data = Record<string, unknown>

/** What /graphql answers to an operation, as REST spells it: the values of enums in lower case. */
export function inRestSpelling(schema: GraphQLSchema, document: DocumentNode, data: Data | null | undefined): unknown {
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION)!
  return spell(schema.getRootType(operation.operation)!, operation.selectionSet, document, data ?? null)
}

function spell(
  type: GraphQLOutputType,
  set: SelectionSetNode | undefined,
  document: DocumentNode,
  value: unknown,
): unknown {
  if (value === null || value === undefined) return value
  if (isNonNullType(type)) return spell(type.ofType, set, document, value)
  if (isListType(type)) return (value as unknown[]).map((item) => spell(type.ofType, set, document, item))
  if (isEnumType(type)) return String(value).toLowerCase()
  if (!isObjectType(type)) return value
  const members: Data = {}
  for (const node of set!.selections) {
    if (node.kind === Kind.FIELD) {
      const key = node.alias?.value ?? node.name.value
      const field = type.getFields()[node.name.value]!
      members[key] = spell(field.type, node.selectionSet, document, (value as Data)[key])
    } else {
      const within = node.kind === Kind.INLINE_FRAGMENT ? node : fragmentOf(document, node.name.value)
      Object.assign(members, spell(type, within.selectionSet, document, value))
    }
  }
  return members
}

function fragmentOf(document: DocumentNode, name: string) {
  return document.definitions.find((node) => node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name) as {
    selectionSet: SelectionSetNode
  }
}
