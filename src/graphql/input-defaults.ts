import {
  astFromValue,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  valueFromASTUntyped,
} from 'graphql'

type Complete = (value: unknown) => unknown

const asIs: Complete = (value) => value

/**
 * Compiles what puts the defaults of an input type's non-null fields into a value, at any depth. It costs nothing where
 * there are none.
 */
export function compileDefaults(type: GraphQLInputType): Complete {
  return hasDefaults(type, new Set()) ? compile(type, new Map()) : asIs
}

const isDefaulted = ({ type, defaultValue }: GraphQLInputField) => isNonNullType(type) && defaultValue !== undefined

function hasDefaults(type: GraphQLInputType, seen: Set<unknown>): boolean {
  const named = getNamedType(type)
  if (!isInputObjectType(named) || seen.has(named)) return false
  seen.add(named)
  return Object.values(named.getFields()).some((field) => isDefaulted(field) || hasDefaults(field.type, seen))
}

/** Input types may name each other, hence the known ones. */
function compile(type: GraphQLInputType, known: Map<unknown, Complete>): Complete {
  if (isNonNullType(type)) return compile(type.ofType, known)
  if (isListType(type)) {
    const item = compile(type.ofType, known)
    return (value) => (Array.isArray(value) ? value.map(item) : item(value))
  }
  if (!isInputObjectType(type)) return asIs
  const found = known.get(type)
  if (found) return found
  let complete: Complete = asIs
  known.set(type, (value) => complete(value))
  complete = compileObject(type, known)
  return complete
}

function compileObject(type: GraphQLInputObjectType, known: Map<unknown, Complete>): Complete {
  const fields = Object.values(type.getFields()).map((field) => {
    const { name, type, defaultValue } = field
    const fallback = isDefaulted(field) ? valueFromASTUntyped(astFromValue(defaultValue, type)!) : undefined
    return { name, fallback, complete: compile(type, known) }
  })
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    const members: Record<string, unknown> = { ...value }
    for (const { name, fallback, complete } of fields) {
      const given = members[name] === undefined ? fallback : members[name]
      if (given !== undefined) members[name] = complete(given)
    }
    return members
  }
}
