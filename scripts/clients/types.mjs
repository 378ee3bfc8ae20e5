// TypeScript types out of JSON Schemas, as far as our OpenAPI documents use them. What it does not know stops it, so that
// no type is silently wrong.

const KNOWN = new Set(
  [
    'title description examples example default deprecated',
    '$ref allOf anyOf oneOf type enum const format properties required additionalProperties items',
    'minimum maximum minLength maxLength minItems maxItems pattern uniqueItems',
  ].flatMap((line) => line.split(' ')),
)

const SIMPLE = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' }

/** The type of what fits a schema, as it stands in a line that is indented so far. */
export function typeOf(schema, indent = '') {
  const unknown = Object.keys(schema).filter((name) => !KNOWN.has(name))
  if (unknown.length > 0) throw new Error(`the generator does not know ${unknown.join(', ')} of a schema`)
  if (schema.$ref) return schema.$ref.split('/').pop()
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)))
  if (schema.allOf) return schema.allOf.map((part) => typeOf(part, indent)).join(' & ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return union(choices.map((one) => typeOf(one, indent)))
  return union([schema.type].flat().map((type) => typeNamed(type, schema, indent)))
}

const union = (types) => [...new Set(types)].join(' | ')

function typeNamed(type, schema, indent) {
  if (type === 'array') return listOf(typeOf(schema.items, indent))
  if (type === 'object') {
    return schema.properties ? `{\n${members(schema, `${indent}  `)}\n${indent}}` : 'Record<string, unknown>'
  }
  if (!SIMPLE[type]) throw new Error(`the generator does not know the type ${type}`)
  return SIMPLE[type]
}

const listOf = (type) => (/[|&{]/.test(type) ? `Array<${type}>` : `${type}[]`)

/** The members of an object's type, each below its description. */
export function members({ properties, required = [] }, indent) {
  const lines = Object.entries(properties).map(([name, schema]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
    const optional = required.includes(name) ? '' : '?'
    return `${comment(schema.description, indent)}${indent}${key}${optional}: ${typeOf(schema, indent)}`
  })
  return lines.join('\n')
}

/** A comment above what follows; nothing when there is nothing to say. */
export function comment(text, indent = '') {
  if (!text) return ''
  const lines = text.replaceAll('*/', '*\\/').split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

/** A named type: an interface where it is an object of its own. */
export function declaration(name, schema) {
  const head = comment(schema.description)
  if (schema.type === 'object' && schema.properties) {
    return `${head}export interface ${name} {\n${members(schema, '  ')}\n}\n`
  }
  return `${head}export type ${name} = ${typeOf(schema)}\n`
}
