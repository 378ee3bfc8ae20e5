import {
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql'
import { listFault } from '../shared/bounds.js'
import { told } from '../shared/faults.js'

/** How many faults of variables an answer lists. */
const MAX_TOLD = 10

/**
 * Finds what graphql-js tells of by printing the whole object around it, which may be large: fields that a type does not
 * have or that are missing, and objects or lists where there is none to be. Throws with the places of the first, and how
 * many there are.
 */
export function requireShape(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>> = {},
): void {
  const faults: string[] = []
  let count = 0
  const fault = (place: string, message: string) => {
    if (++count <= MAX_TOLD) faults.push(`"${told(place)}" ${message}`)
  }

  const look = (type: GraphQLInputType, value: unknown, place: string): unknown => {
    if (isNonNullType(type)) return look(type.ofType, value, place)
    if (typeof value !== 'object' || value === null) return
    if (isListType(type)) {
      const items = Array.isArray(value) ? value : [value] // one item stands for a list of it
      const message = listFault(items)
      if (message) return fault(place, message)
      for (const [i, item] of items.entries()) look(type.ofType, item, `${place}.${i}`)
    } else if (isInputObjectType(type)) lookInto(type, value as Record<string, unknown>, place)
    else if (isLeafType(type) && !takesObjects(type)) fault(place, `must be a ${type.name}`)
  }
  const lookInto = (type: GraphQLInputType, value: Record<string, unknown>, place: string): void => {
    const named = getNamedType(type)
    if (!isInputObjectType(named)) return
    if (Array.isArray(value)) {
      fault(place, `must be a ${named.name}`)
      return
    }
    const fields = named.getFields()
    for (const [name, inner] of Object.entries(value)) {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (field) look(field.type, inner, `${place}.${name}`)
      else fault(`${place}.${name}`, `is not defined by ${named.name}`)
    }
    for (const { name, type, defaultValue } of Object.values(fields)) {
      const isMissing = value[name] === undefined && isNonNullType(type) && defaultValue === undefined
      if (isMissing) fault(`${place}.${name}`, 'is required')
    }
  }

  for (const { variable, type } of variableDefinitions) {
    const name = variable.name.value
    const input = typeFromAST(schema, type as never) as GraphQLInputType | undefined
    if (input && Object.hasOwn(variables, name)) look(input, variables[name], name)
  }
  if (count === 0) return
  const more = count > MAX_TOLD ? `, and ${count - MAX_TOLD} more faults` : ''
  throw new GraphQLError(`Variables are not of their types: ${faults.join(', ')}${more}.`, {
    extensions: { code: 'BAD_USER_INPUT' },
  })
}

/** A scalar for free-form objects says so by its JSON Schema. */
function takesObjects({ extensions }: { extensions: { jsonSchema?: unknown } }): boolean {
  return (extensions.jsonSchema as { type?: unknown } | undefined)?.type === 'object'
}
