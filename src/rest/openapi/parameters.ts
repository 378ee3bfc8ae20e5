import type { Constraints } from '../../kit/constraints.js'
import type { Parameter } from '../operation.js'
import { inputSchema, type JsonSchema } from './json-schema.js'

/** The rules of what a parameter fills. */
export const constraintsOf = ({ rule }: Parameter): Constraints => (rule?.extensions ?? {}) as Constraints

/** What a parameter is for. */
export function descriptionOf({ description, rule, name }: Parameter): string {
  return description ?? rule?.description ?? name
}

/** The schema of an object that holds these parameters. */
export function bodySchema(parameters: readonly Parameter[]): JsonSchema {
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name)
  const properties = parameters.map((parameter) => [
    parameter.name,
    { description: descriptionOf(parameter), ...inputSchema(parameter.type, constraintsOf(parameter)) },
  ])
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(properties),
  }
}

/** A parameter's schema with its bounds, and what it is when left out. */
export function bounded(schema: JsonSchema, { range, defaultValue }: Parameter): JsonSchema {
  if (range?.min !== undefined) schema.minimum = range.min
  if (range?.max !== undefined) schema.maximum = range.max
  if (defaultValue !== undefined && defaultValue !== null) schema.default = defaultValue
  return schema
}
