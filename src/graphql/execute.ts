import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql'
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
const serializers = { String: asIs, ID: asIs, Boolean: asIs, JSONObject: asIs }

/** Compiles an operation to JavaScript once, at the start. */
export function compileOperation(schema: GraphQLSchema, document: DocumentNode, name: string): Execute {
  const lifted = liftInputs(schema, document)
  const compiled = compileQuery(schema, lifted.document, name, { customSerializers: serializers })
  if (!isCompiledQuery(compiled)) throw new Error(`${name} cannot be compiled: ${compiled.errors?.[0]?.message}`)
  return (context, variables) => compiled.query(undefined, context, lifted.variables(variables))
}
