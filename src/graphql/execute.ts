import { type DocumentNode, type ExecutionResult, type GraphQLEnumType, type GraphQLSchema, isEnumType } from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import type { Context } from '../database/index.js'
import { liftInputs } from './lift-inputs.js'

/** A stored operation, ready to run with variables that are already of their types. */
export type Execute = (
  context: Context,
  variables: Record<string, unknown>,
) => ExecutionResult | Promise<ExecutionResult>

const asIs = (value: unknown) => value
// Resolvers return these as they go out; graphql-js would only look at them again. A test compares both for each operation.
const scalars = { String: asIs, ID: asIs, Boolean: asIs, JSONObject: asIs }

type Serializers = Record<string, (value: unknown) => unknown>

const known = new WeakMap<GraphQLSchema, Serializers>()

/** What a stored operation makes of leaves: enums go out as REST spells them, in lower case. */
function serializersOf(schema: GraphQLSchema): Serializers {
  let serializers = known.get(schema)
  if (!serializers) {
    const enums = Object.values(schema.getTypeMap()).filter((type) => isEnumType(type))
    serializers = { ...scalars, ...Object.fromEntries(enums.map((type) => [type.name, inLowerCase(type)])) }
    known.set(schema, serializers)
  }
  return serializers
}

function inLowerCase(type: GraphQLEnumType): (value: unknown) => unknown {
  const spelled = new Map(type.getValues().map(({ name, value }) => [value, name.toLowerCase()]))
  return (value) => spelled.get(value) ?? type.serialize(value) // which says what is wrong with it
}

/** Compiles an operation to JavaScript once, at the start. */
export function compileOperation(schema: GraphQLSchema, document: DocumentNode, name: string): Execute {
  const lifted = liftInputs(schema, document)
  const compiled = compileQuery(schema, lifted.document, name, { customSerializers: serializersOf(schema) })
  if (!isCompiledQuery(compiled)) throw new Error(`${name} cannot be compiled: ${compiled.errors?.[0]?.message}`)
  return (context, variables) => compiled.query(undefined, context, lifted.variables(variables))
}
