import { type DocumentNode, type ExecutionResult, type GraphQLSchema, isEnumType, isIntrospectionType } from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import type { Context } from '../database/index.js'
import { liftInputs } from './lift-inputs.js'

/** A stored operation, ready to run with variables that are already of their types. */
export type Execute = (
  context: Context,
  variables: Record<string, unknown>,
) => ExecutionResult | Promise<ExecutionResult>

// Resolvers return leaves as they go out; graphql-js would only look at them again. A test compares both for each operation.
const AS_THEY_ARE = { disableLeafSerialization: true, customSerializers: { JSONObject: (value: unknown) => value } }

/** A stored operation shows an enum as the value behind its name, so this must be as REST spells it: in lower case. */
function requireLowerCaseEnums(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isEnumType(type) || isIntrospectionType(type)) continue
    const wrong = type.getValues().find(({ name, value }) => value !== name.toLowerCase())
    if (wrong) throw new Error(`${type.name}.${wrong.name} must have the value '${wrong.name.toLowerCase()}'`)
  }
}

/** Compiles an operation to JavaScript once, at the start. */
export function compileOperation(schema: GraphQLSchema, document: DocumentNode, name: string): Execute {
  requireLowerCaseEnums(schema)
  const lifted = liftInputs(schema, document)
  const compiled = compileQuery(schema, lifted.document, name, AS_THEY_ARE)
  if (!isCompiledQuery(compiled)) throw new Error(`${name} cannot be compiled: ${compiled.errors?.[0]?.message}`)
  return (context, variables) => compiled.query(undefined, context, lifted.variables(variables))
}
