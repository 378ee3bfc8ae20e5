import { type FieldNode, type GraphQLSchema, Kind, type OperationDefinitionNode, parse } from 'graphql'
import { AppError } from '../shared/errors.js'

/** Characters that a query may have. */
const MAX_QUERY_LENGTH = 131_072

/** Tokens that a query without a key may have. */
const MAX_PUBLIC_TOKENS = 200

/** Refuses a query that would cost much before it is even known to be wrong. */
export function requireBounded(query: unknown): void {
  if (typeof query !== 'string' || query.length <= MAX_QUERY_LENGTH) return
  throw new AppError('QUERY_TOO_COMPLEX', `A query may have at most ${MAX_QUERY_LENGTH} characters.`)
}

/** The root fields of a schema that anybody may ask for. */
export function publicFieldsOf(schema: GraphQLSchema): ReadonlySet<string> {
  const roots = [schema.getQueryType(), schema.getMutationType()]
  const fields = roots.flatMap((root) => Object.values(root?.getFields() ?? {}))
  return new Set(['__typename', ...fields.filter((one) => one.extensions.access === 'public').map(({ name }) => name)])
}

/**
 * Whether a query may run without a key: one operation of a few tokens with one root field that is public, without
 * aliases, fragments and directives. `__typename` is public to all; the schema, which clients ask for with fragments, where
 * it is open.
 */
export function isPublicQuery(query: unknown, publicFields: ReadonlySet<string>, openSchema: boolean): boolean {
  if (typeof query !== 'string') return false
  const schemaQuery = openSchema ? operationOf(query, 1000) : undefined
  if (schemaQuery && fieldsOf(schemaQuery).every((name) => name === '__schema' || name === '__type')) return true
  const operation = operationOf(query, MAX_PUBLIC_TOKENS)
  return operation !== undefined && isPlain(operation) && publicFields.has(fieldsOf(operation)[0]!)
}

function operationOf(query: string, maxTokens: number): OperationDefinitionNode | undefined {
  try {
    const { definitions } = parse(query, { maxTokens, noLocation: true })
    const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
    return operations.length === 1 ? operations[0] : undefined
  } catch {
    return undefined
  }
}

/** The names of an operation's root fields; what is no field has none. */
function fieldsOf({ selectionSet: { selections } }: OperationDefinitionNode): (string | undefined)[] {
  return selections.map((node) => (node.kind === Kind.FIELD ? node.name.value : undefined))
}

function isPlain({ selectionSet: { selections } }: OperationDefinitionNode): boolean {
  const [only, ...more] = selections
  return more.length === 0 && only?.kind === Kind.FIELD && isPlainField(only)
}

function isPlainField({ alias, directives, selectionSet }: FieldNode): boolean {
  if (alias || (directives?.length ?? 0) > 0) return false
  return (selectionSet?.selections ?? []).every((node) => node.kind === Kind.FIELD && isPlainField(node))
}
