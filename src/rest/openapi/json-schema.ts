import {
  type GraphQLInputType,
  type GraphQLScalarType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import type { Constraints } from '../../kit/constraints.js'
import { MAX_ITEMS } from '../../shared/bounds.js'
import { DEFAULT_MAX_LENGTH } from '../../shared/text.js'
import { snake } from '../coerce.js'

export type JsonSchema = Record<string, unknown>

const SPECIFIED: Record<string, JsonSchema> = {
  String: { type: 'string' },
  ID: { type: 'string' },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
}

/** The JSON Schema of a scalar: of GraphQL's own, or what it brings in its extensions. */
export function scalarSchema(type: GraphQLScalarType): JsonSchema {
  return { ...(SPECIFIED[type.name] ?? (type.extensions.jsonSchema as JsonSchema)) }
}

/** A schema that also allows null. */
export function orNull(schema: JsonSchema): JsonSchema {
  return typeof schema.type === 'string' && schema.enum === undefined
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] }
}

/** The schema of what is sent for an input type, with the constraints of the field that it is sent for. */
export function inputSchema(type: GraphQLInputType, constraints: Constraints = {}): JsonSchema {
  if (!isNonNullType(type)) {
    const schema = nonNullSchema(type, constraints)
    if (constraints.notNull) return notEmpty(schema)
    return orNull(constraints.notEmpty ? notEmpty(schema) : schema)
  }
  return notEmpty(nonNullSchema(type.ofType, constraints))
}

/** A parameter of a query string or a path has no null. */
export function parameterSchema(type: GraphQLInputType, constraints: Constraints): JsonSchema {
  return nonNullSchema(isNonNullType(type) ? type.ofType : type, constraints)
}

/** A text that must be there must have something in it. */
function notEmpty(schema: JsonSchema): JsonSchema {
  return schema.type === 'string' && schema.format === undefined ? { ...schema, minLength: 1 } : schema
}

function nonNullSchema(type: GraphQLInputType, constraints: Constraints): JsonSchema {
  if (isNonNullType(type)) return nonNullSchema(type.ofType, constraints)
  if (isListType(type)) {
    const item = isNonNullType(type.ofType) ? type.ofType.ofType : type.ofType
    return { type: 'array', maxItems: MAX_ITEMS, items: nonNullSchema(item, constraints) }
  }
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name.toLowerCase()) }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    const required = fields.filter((field) => isNonNullType(field.type)).map((field) => snake(field.name))
    const properties = fields.map((field) => [
      snake(field.name),
      { description: field.description, ...inputSchema(field.type, field.extensions as Constraints) },
    ])
    return {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
      ...(type.extensions.closed === true && { additionalProperties: false }),
    }
  }
  const schema = scalarSchema(type)
  if (constraints.choices) schema.enum = constraints.choices
  else if (type.name === 'String') schema.maxLength = constraints.maxLength ?? DEFAULT_MAX_LENGTH
  if (constraints.minimum !== undefined) schema.minimum = constraints.minimum
  if (constraints.maximum !== undefined) schema.maximum = constraints.maximum
  // The others are no formats that JSON Schema knows.
  if (constraints.format === 'email' || constraints.format === 'uuid') schema.format = constraints.format
  return schema
}
