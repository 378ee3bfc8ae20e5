import { Refusal } from './refusal.js'

// "Supported schemas" of the guide to structured outputs: types, the keywords of each, and the limits.
const KEYWORDS = new Set([
  'type',
  'description',
  'title',
  'enum',
  'const',
  'anyOf',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'minItems',
  'maxItems',
  'pattern',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  '$defs',
  '$ref',
])
const TYPES = new Set(['string', 'number', 'boolean', 'integer', 'object', 'array', 'null'])
const [MAX_PROPERTIES, MAX_DEPTH, MAX_NAMES, MAX_VALUES] = [5000, 10, 120_000, 1000]

interface Node {
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Node[]
  properties?: Record<string, Node>
  required?: string[]
  additionalProperties?: unknown
  items?: Node
  $defs?: Record<string, Node>
}

/** Refuses a schema that the API would not hold a model to. */
export function checkForm(name: string, schema: unknown): void {
  const refuse = (at: string, what: string): never => {
    throw new Refusal(400, `Invalid schema for response_format '${name}': In context=(${at}), ${what}.`, {
      param: 'response_format',
    })
  }
  const count = { properties: 0, letters: 0, values: 0 }
  const walk = (node: Node, at: string, depth: number): void => {
    if (typeof node !== 'object' || node === null || Array.isArray(node)) refuse(at, 'schema must be an object')
    for (const keyword of Object.keys(node)) {
      if (!KEYWORDS.has(keyword)) refuse(at, `'${keyword}' is not permitted`)
    }
    const kinds = [node.type ?? []].flat()
    if (kinds.length === 0 && !node.anyOf && !('$ref' in node)) refuse(at, "schema must have a 'type' key")
    for (const kind of kinds) if (!TYPES.has(kind)) refuse(at, `'${kind}' is not a type`)
    if (kinds.includes('object')) {
      if (depth > MAX_DEPTH) refuse(at, `${depth} levels of nesting exceeds limit of ${MAX_DEPTH}`)
      const names = Object.keys(node.properties ?? {})
      if (node.additionalProperties !== false) refuse(at, "'additionalProperties' is required to be supplied and false")
      const missing = names.filter((one) => !node.required?.includes(one))
      if (missing.length > 0 || node.required?.length !== names.length) {
        refuse(at, `'required' is required to be an array including every key in properties. Missing '${missing[0]}'`)
      }
      count.properties += names.length
      count.letters += names.join('').length
    }
    if (kinds.includes('array') && !node.items) refuse(at, 'array schema missing items')
    count.values += node.enum?.length ?? 0
    count.letters += (node.enum ?? []).join('').length
    for (const [key, child] of Object.entries(node.properties ?? {})) walk(child, `${at}, ${key}`, depth + 1)
    for (const child of node.anyOf ?? []) walk(child, at, depth)
    for (const [key, child] of Object.entries(node.$defs ?? {})) walk(child, key, depth)
    if (node.items) walk(node.items, `${at}, items`, depth)
  }
  const root = schema as Node
  if (root?.type !== 'object') refuse('()', 'schema must be a JSON Schema of \'type: "object"\'')
  walk(root, '()', 1)
  if (count.properties > MAX_PROPERTIES) refuse('()', `${count.properties} properties exceed ${MAX_PROPERTIES}`)
  if (count.letters > MAX_NAMES) refuse('()', `names and values have more than ${MAX_NAMES} characters`)
  if (count.values > MAX_VALUES) refuse('()', `${count.values} values exceed ${MAX_VALUES}`)
}
