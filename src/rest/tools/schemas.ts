import { OperationError } from '../load.js'
import { componentsOf } from '../openapi/document.js'
import type { JsonSchema } from '../openapi/json-schema.js'
import { bodySchema, bounded } from '../openapi/parameters.js'
import { successBody } from '../openapi/responses.js'
import type { Components } from '../openapi/selection-schema.js'
import { WARNINGS_SCHEMA } from '../openapi/shared-components.js'
import type { Endpoint } from '../operation.js'
import { KEY_ARGUMENT, KEY_SCHEMA } from './key.js'
import { TOOL_STYLE } from './style.js'

/** What a tool takes and answers, each as a JSON Schema (2020-12) of an object that refers to nothing outside. */
export interface Described {
  inputSchema: JsonSchema & { type: 'object' }
  outputSchema: JsonSchema & { type: 'object' }
}

/** Describes what tools take and answer. */
export function describeTools(endpoints: readonly Endpoint[]): Described[] {
  const components = componentsOf(endpoints)
  components.schemas.Warnings = WARNINGS_SCHEMA
  const bodies = endpoints.map(
    (endpoint) => successBody(TOOL_STYLE, endpoint, { ...components, operation: endpoint.operation.name }).schema,
  )
  return endpoints.map((endpoint, i) => ({
    inputSchema: inputOf(endpoint),
    outputSchema: { ...closed(bodies[i]!, components.schemas), type: 'object' },
  }))
}

/** What is not known is told of with a warning and does nothing; assistants are better told before. */
function inputOf({ parameters, mount, operation }: Endpoint): Described['inputSchema'] {
  const schema = bodySchema(parameters)
  const properties = schema.properties as Record<string, JsonSchema>
  for (const parameter of parameters) bounded(properties[parameter.name]!, parameter)
  if (mount.idempotent) {
    if (KEY_ARGUMENT in properties)
      throw new OperationError(operation.file, `${KEY_ARGUMENT} is no name for a variable`)
    properties[KEY_ARGUMENT] = KEY_SCHEMA
    if (operation.tool!.once) schema.required = [...((schema.required as string[] | undefined) ?? []), KEY_ARGUMENT]
  }
  return { ...schema, type: 'object', additionalProperties: false }
}

const PREFIX = '#/components/schemas/'

/** A schema with all that it refers to inside of it. */
function closed(schema: JsonSchema, known: Components['schemas']): JsonSchema {
  const used: Record<string, JsonSchema> = {}
  const look = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(look)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        if (key !== '$ref' || typeof inner !== 'string') return [key, look(inner)]
        const name = inner.slice(PREFIX.length)
        if (!(name in used)) {
          used[name] = {} // it may refer to itself
          used[name] = look(known[name]) as JsonSchema
        }
        return [key, `#/$defs/${name}`]
      }),
    )
  }
  const whole = look(schema) as JsonSchema
  return Object.keys(used).length > 0 ? { ...whole, $defs: used } : whole
}
