import {
  GraphQLError,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql'
import type { Constraints } from '../kit/constraints.js'
import { listFault } from '../shared/bounds.js'
import { Findings } from './findings.js'

/** Turns a value as sent into the variable's value; says what is wrong in the findings, and then what it returns is void. */
export type Coerce = (value: unknown, field: string, findings: Findings) => unknown

const MAX_INT = 2_147_483_647
const MIN_INT = -2_147_483_648

/** `linkedinProfileUrl` as REST spells it. */
export const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** What becomes of a name that nobody knows. */
export const warnOfUnknown = (findings: Findings, field: string): void =>
  findings.warn(field, 'is unknown', ' and was ignored')

const fail = (findings: Findings, field: string, message: string, missing?: boolean): void =>
  findings.fault(field, message, missing)

function checking(test: (value: unknown) => boolean, message: string): Coerce {
  return (value, field, findings) => (test(value) ? value : fail(findings, field, message))
}

const isString = (value: unknown) => typeof value === 'string'
const isInt = (value: unknown) =>
  Number.isInteger(value) && (value as number) <= MAX_INT && (value as number) >= MIN_INT
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

const JSON_SCALARS: Record<string, Coerce> = {
  String: checking(isString, 'must be a text'),
  ID: checking(isString, 'must be an id as text'),
  Int: checking(isInt, 'must be an integer of 32 bits'),
  Float: checking(Number.isFinite, 'must be a finite number'),
  Boolean: checking((value) => typeof value === 'boolean', 'must be true or false'),
  JSONObject: checking(isObject, 'must be an object'),
}

/** The coercer of a type for values out of a JSON body. */
export function compileJson(type: GraphQLInputType): Coerce {
  if (isNonNullType(type)) {
    const inner = compileJson(type.ofType)
    return (value, field, findings) =>
      value === null ? fail(findings, field, 'must not be null', true) : inner(value, field, findings)
  }
  const coerce = compileNonNullJson(type)
  return (value, field, findings) => (value === null ? null : coerce(value, field, findings))
}

function compileNonNullJson(type: GraphQLInputType): Coerce {
  if (isListType(type)) {
    const item = compileJson(type.ofType)
    return (value, field, findings) => {
      if (!Array.isArray(value)) return fail(findings, field, 'must be a list')
      const fault = listFault(value)
      return fault ? fail(findings, field, fault) : value.map((element, i) => item(element, `${field}.${i}`, findings))
    }
  }
  if (isInputObjectType(type)) return compileObject(type)
  if (isEnumType(type)) {
    const read = enumReader(type)
    return (value, field, findings) => {
      if (isString(value) && (value as string).trim() === '') return undefined // the same as absent
      const name = isString(value) ? read(value as string) : undefined
      return name ?? fail(findings, field, `must be one of ${choices(type)}`)
    }
  }
  return JSON_SCALARS[type.name] ?? customScalar(type)
}

/** A list of texts that leaves out what is wrong in it has an empty one there: the places of the others stay. */
function compileField({ type, extensions }: GraphQLInputField): Coerce {
  const coerce = compileJson(type)
  if (!(extensions as Constraints).dropsFaulty || !isListType(type)) return coerce
  const item = compileJson(type.ofType)
  return (value, field, findings) => {
    if (!Array.isArray(value) || listFault(value)) return coerce(value, field, findings)
    return value.map((element, i) => {
      const found = new Findings()
      const coerced = item(element, `${field}.${i}`, found)
      for (const { field, message } of found.faults) findings.warn(field, message, ' and was left out')
      return found.faults.length > 0 ? '' : coerced
    })
  }
}

function compileObject(type: GraphQLInputObjectType): Coerce {
  const fields = new Map(
    Object.entries(type.getFields()).map(([name, field]) => [
      snake(name),
      { name, coerce: compileField(field), required: isNonNullType(field.type) },
    ]),
  )
  const { closed } = type.extensions
  return (value, field, findings) => {
    if (!isObject(value)) return fail(findings, field, 'must be an object')
    const given = value as Record<string, unknown>
    const result: Record<string, unknown> = {}
    for (const [key, { name, coerce, required }] of fields) {
      if (given[key] !== undefined) result[name] = coerce(given[key], `${field}.${key}`, findings)
      else if (required) fail(findings, `${field}.${key}`, 'is required')
    }
    for (const key of Object.keys(given)) {
      if (fields.has(key)) continue
      if (closed) fail(findings, `${field}.${key}`, 'is unknown')
      else warnOfUnknown(findings, `${field}.${key}`)
    }
    return result
  }
}

/** The coercer of a type for texts out of a path, a query string or a header. A list is separated by commas. */
export function compileText(type: GraphQLInputType): Coerce {
  if (isNonNullType(type)) return compileText(type.ofType)
  if (isListType(type)) {
    const item = compileText(type.ofType)
    return (value, field, findings) =>
      String(value)
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean)
        .map((part) => item(part, field, findings))
  }
  if (isEnumType(type)) {
    const read = enumReader(type)
    return (value, field, findings) => read(value as string) ?? fail(findings, field, `must be one of ${choices(type)}`)
  }
  if (!isScalarType(type)) throw new Error(`${String(type)} cannot be a parameter of a query string or path`)
  if (type.name === 'Int') return readInt
  if (type.name === 'Float') {
    return (value, field, findings) => {
      const number = Number(value)
      return Number.isFinite(number) ? number : fail(findings, field, 'must be a number')
    }
  }
  if (type.name === 'Boolean') {
    return (value, field, findings) =>
      value === 'true' || value === 'false' ? value === 'true' : fail(findings, field, 'must be true or false')
  }
  return type.name === 'String' || type.name === 'ID' ? (value) => value : customScalar(type)
}

/** Beyond 32 bits is still an integer, and stands for the largest or smallest one. */
const readInt: Coerce = (value, field, findings) => {
  if (!/^[+-]?\d+$/.test(value as string)) return fail(findings, field, 'must be an integer')
  const number = Number(value)
  const nearest = Math.min(Math.max(number, MIN_INT), MAX_INT)
  if (nearest !== number) findings.warn(field, 'is beyond 32 bits', `; ${nearest} was used`)
  return nearest
}

function customScalar(type: GraphQLInputType): Coerce {
  if (!isScalarType(type)) throw new Error(`${String(type)} cannot be a parameter`)
  return (value, field, findings) => {
    try {
      type.parseValue(value)
      return value // parsed again, and kept, where the operation runs
    } catch (error) {
      return fail(findings, field, error instanceof GraphQLError ? error.message : 'is malformed')
    }
  }
}

interface Enum {
  getValues(): readonly { name: string }[]
}

/** REST spells an enum's values in lower case. */
function enumReader(type: Enum): (text: string) => string | undefined {
  const names = new Map(type.getValues().map(({ name }) => [name.toLowerCase(), name]))
  return (text) => names.get(text.trim().toLowerCase())
}

/** An enum's values as REST spells them, for a message. */
export function choices(type: Enum): string {
  return type
    .getValues()
    .map(({ name }) => name.toLowerCase())
    .join(', ')
}
