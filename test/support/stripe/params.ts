import { invalid } from './errors.js'
import type { Form, FormValue } from './form.js'
import type { Kind } from './types/schema.js'

/** The parameters of a call, as its types have them; "" is an attempt to empty something. */
export type Params = Record<string, unknown>

interface Fields {
  fields: Record<string, Kind>
  required?: string[]
}

const LIMITS = { keys: 50, key: 40, value: 500 } // of metadata, docs.stripe.com/api/metadata

/**
 * A form as the parameters of an endpoint: each with its type, none that the endpoint does not know, all that it must have;
 * otherwise refused as Stripe does.
 */
export function readParams(form: Form, endpoint: Fields): Params {
  return readFields(form, endpoint, '')
}

function readFields(form: Form, { fields, required = [] }: Fields, within: string): Params {
  const unknown = Object.keys(form).filter((name) => !Object.hasOwn(fields, name))
  if (unknown.length > 0) {
    const names = unknown.map((name) => nested(within, name))
    throw invalid(
      `Received unknown parameter${names.length > 1 ? 's' : ''}: ${names.join(', ')}`,
      names[0]!,
      'parameter_unknown',
    )
  }
  const missing = required.find((name) => !Object.hasOwn(form, name))
  if (missing !== undefined) throw missingParam(nested(within, missing))
  return Object.fromEntries(
    Object.entries(form).map(([name, value]) => [name, readValue(value, fields[name]!, nested(within, name))]),
  )
}

/** A parameter that a call must have. */
export const missingParam = (param: string) => invalid(`Missing required param: ${param}.`, param, 'parameter_missing')

const nested = (within: string, name: string) => (within === '' ? name : `${within}[${name}]`)

function readValue(value: FormValue, kind: Kind, param: string): unknown {
  if (typeof kind === 'object' && kind.emptyable && value === '') return ''
  if (typeof kind === 'object' && kind.type) return readValue(value, kind.type, param)
  if (typeof kind === 'object' && kind.anyOf) return readAny(value, kind.anyOf, param)
  if (kind === 'any') return value
  if (typeof kind === 'object' && kind.array) {
    if (typeof value === 'string') throw invalid('Invalid array', param)
    return readArray(value, kind.array, param)
  }
  if (typeof kind === 'object' && kind.map) {
    if (typeof value === 'string') throw invalid('Invalid object', param)
    return readMap(value, kind.map, param)
  }
  if (typeof kind === 'object' && kind.fields) {
    if (typeof value === 'string') throw invalid('Invalid object', param)
    return readFields(value, kind as Fields, param)
  }
  if (typeof value !== 'string') throw invalid(`Invalid string: ${JSON.stringify(value)}`, param)
  return readScalar(value, kind, param)
}

function readArray(value: Form, kind: Kind, param: string): unknown[] {
  const indices = Object.keys(value)
  if (indices.some((index) => !/^\d+$/.test(index))) throw invalid('Invalid array', param)
  return indices
    .sort((one, other) => Number(one) - Number(other))
    .map((index) => readValue(value[index]!, kind, nested(param, index)))
}

function readMap(value: Form, kind: Kind, param: string): Params {
  const entries = Object.entries(value)
  const tooLong = entries.find(
    ([key, text]) => key.length > LIMITS.key || (typeof text === 'string' && text.length > LIMITS.value),
  )
  if (tooLong) {
    throw invalid(
      `Metadata keys may have up to ${LIMITS.key} characters, values up to ${LIMITS.value}.`,
      nested(param, tooLong[0]),
    )
  }
  if (entries.length > LIMITS.keys) throw invalid(`You may only specify up to ${LIMITS.keys} metadata keys.`, param)
  // An empty value takes a key away, whatever its type.
  return Object.fromEntries(
    entries.map(([key, text]) => [key, text === '' ? '' : String(readValue(text, kind, nested(param, key)))]),
  )
}

/** Of several types the first that fits; what one of them would refuse more precisely is said by the last. */
function readAny(value: FormValue, kinds: Kind[], param: string): unknown {
  // Numbers before texts, since any number is a text too.
  const order = [...kinds].sort((one, other) => Number(one === 'string') - Number(other === 'string'))
  let failure: unknown
  for (const kind of order) {
    try {
      return readValue(value, kind, param)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

function readScalar(value: string, kind: Kind, param: string): unknown {
  if (value === '') {
    const message = `You passed an empty string for '${param}'. We assume empty values are an attempt to unset a parameter; however '${param}' cannot be unset. You should remove '${param}' from your request or supply a non-empty value.`
    throw invalid(message, param, 'parameter_invalid_empty')
  }
  if (kind === 'string') return value
  if (kind === 'boolean') {
    if (value !== 'true' && value !== 'false') throw invalid(`Invalid boolean: ${value}`, param)
    return value === 'true'
  }
  if (kind === 'decimal') {
    if (!/^-?\d{1,17}(\.\d{1,12})?$/.test(value)) throw invalid(`Invalid decimal: ${value}`, param)
    return value
  }
  if (kind === 'number') return readNumber(value, param)
  const allowed = typeof kind === 'object' ? (kind.enum ?? [String(kind.is)]) : []
  if (!allowed.includes(value)) {
    const name = /([^[\]]+)\]?$/.exec(param)![1]
    throw invalid(`Invalid ${name}: must be one of ${listed(allowed)}`, param)
  }
  return value
}

// The types do not tell whole numbers from others; Stripe's only others are shares and coordinates, named so.
const FRACTIONAL = /(percent|percentage|height|length|weight|width)\]?$/

function readNumber(value: string, param: string): number {
  if (FRACTIONAL.test(param)) {
    if (!/^-?\d+(\.\d+)?$/.test(value)) throw invalid(`Invalid decimal: ${value}`, param)
    return Number(value)
  }
  if (!/^-?\d+$/.test(value) || !Number.isSafeInteger(Number(value))) {
    throw invalid(`Invalid integer: ${value}`, param, 'parameter_invalid_integer')
  }
  return Number(value)
}

const listed = (values: string[]) =>
  values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')}, or ${values.at(-1)}`
