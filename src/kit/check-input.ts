import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import { listFault } from '../shared/bounds.js'
import type { Fault } from '../shared/errors.js'
import { isUuid } from '../shared/ids.js'
import { jsonFault } from '../shared/json.js'
import { isCurrency, moneyFault } from '../shared/money.js'
import { DEFAULT_MAX_LENGTH, looksLikeEmail, textFault, tidy } from '../shared/text.js'
import type { Constraints } from './constraints.js'
import type { Permission } from './permissions.js'

type Path = readonly (string | number)[]
type Check = (value: unknown, path: Path, faults: Fault[], more: Findings) => unknown

/** What a check of inputs finds besides what is wrong. */
export interface Findings {
  /** Permissions that used fields demand beside the root field's own. */
  demanded: Permission[]
  /** Items of lists that were left out, each with what is wrong with it. */
  dropped: Fault[]
}
type Values = Record<string, unknown>

/**
 * Compiles the rules of a field's arguments: texts are trimmed and checked, "" becomes null, constraints hold at any
 * depth. The function returns the clean arguments, adds every fault that it finds, and tells what else it found.
 */
export function compileInputCheck(args: readonly GraphQLArgument[]) {
  const checks = new Map(args.map((arg) => [arg.name, compileField(arg)]))
  return (values: Values, faults: Fault[], more: Findings): Values => checkMembers(checks, values, [], faults, more)
}

/** The rules of one argument or input field. */
export function compileField(field: GraphQLArgument | GraphQLInputField): Check {
  const constraints = field.extensions as Constraints
  const type = isNonNullType(field.type) ? field.type.ofType : field.type
  const mandatory = isNonNullType(field.type) || constraints.notNull === true
  const check = compileType(type, constraints)
  return (value, path, faults, more) => {
    if (value && constraints.access) more.demanded.push(constraints.access)
    const clean = value === null || value === undefined ? value : check(value, path, faults, more)
    if (clean === null && (mandatory || (constraints.notEmpty && value !== null))) {
      faults.push({ path, message: value === null ? 'must not be null' : 'must not be empty', missing: mandatory })
    }
    return clean
  }
}

function checkMembers(checks: Map<string, Check>, values: Values, path: Path, faults: Fault[], more: Findings): Values {
  const clean: Values = {}
  for (const name in values) {
    const check = checks.get(name)
    if (check && values[name] !== undefined) clean[name] = check(values[name], [...path, name], faults, more)
  }
  return clean
}

function compileType(type: GraphQLInputType, constraints: Constraints): Check {
  if (isNonNullType(type)) return compileType(type.ofType, constraints)
  if (isListType(type)) {
    const item = isId(type.ofType, constraints) ? refusing(idFault) : compileType(type.ofType, constraints)
    return (value, path, faults, more) => {
      const message = listFault(value as unknown[])
      if (message) {
        faults.push({ path, message })
        return []
      }
      return (value as unknown[]).map((element, i) => {
        const found: Fault[] = []
        const clean = item(element, [...path, i], constraints.dropsFaulty ? found : faults, more)
        const isMissing = clean === null && isNonNullType(type.ofType) && !constraints.dropsFaulty
        if (isMissing) faults.push({ path: [...path, i], message: 'must not be empty' })
        more.dropped.push(...found)
        return found.length > 0 ? null : clean
      })
    }
  }
  if (isInputObjectType(type)) {
    // Compiled at the first use: input types may name each other.
    let checks: Map<string, Check> | undefined
    return (value, path, faults, more) => {
      checks ??= new Map(Object.values(type.getFields()).map((field) => [field.name, compileField(field)]))
      return checkMembers(checks, value as Values, path, faults, more)
    }
  }
  if (type.name === 'String') return (value, path, faults) => checkText(value as string, constraints, path, faults)
  if (type.name === 'JSONObject') return refusing(jsonFault)
  if (isId(type, constraints)) return checkId
  if (type.name === 'Float' && constraints.format === 'money') return refusing((value) => moneyFault(value as number))
  const { minimum, maximum } = constraints
  if (minimum !== undefined) return refusing((value) => rangeFault(value as number, minimum, maximum))
  return (value) => value
}

/** Whether it is the id of a record; a list of them has no place for an empty one. */
function isId(type: GraphQLInputType, { format }: Constraints): boolean {
  const named = isNonNullType(type) ? type.ofType : type
  return format === 'uuid' && 'name' in named && named.name === 'ID'
}

const idFault = (value: unknown) => (isUuid(value) ? undefined : 'must be the id of a record (a uuid)')

function checkId(value: unknown, path: Path, faults: Fault[]): string | null {
  const id = tidy(value as string)
  if (id === '') return null
  const message = idFault(id)
  if (message) faults.push({ path, message })
  return id
}

function refusing(faultOf: (value: unknown) => string | undefined): Check {
  return (value, path, faults) => {
    const message = faultOf(value)
    if (message) faults.push({ path, message })
    return value
  }
}

function rangeFault(value: number, minimum: number, maximum = Number.POSITIVE_INFINITY): string | undefined {
  if (value >= minimum && value <= maximum) return undefined
  return maximum === Number.POSITIVE_INFINITY ? `must be ${minimum} or more` : `must be from ${minimum} to ${maximum}`
}

interface TextFormat {
  holds(text: string): boolean
  message: string
}

const HEX_COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i

const TEXT_FORMATS: Partial<Record<NonNullable<Constraints['format']>, TextFormat>> = {
  email: { holds: looksLikeEmail, message: 'must be an email address' },
  label: { holds: (text) => !/\p{Cc}/u.test(text), message: 'must not contain control characters' },
  color: { holds: (text) => HEX_COLOR.test(text), message: 'must be a colour such as #2563eb' },
  currency: { holds: isCurrency, message: 'must be the ISO 4217 code of a currency, such as BRL' },
}

function checkText(value: string, { maxLength, format }: Constraints, path: Path, faults: Fault[]): string | null {
  if (format === 'password') {
    const message =
      value.isWellFormed() && value.length <= maxLength! ? undefined : `must have at most ${maxLength} characters`
    if (message) faults.push({ path, message })
    return value === '' ? null : value
  }
  const tidied = tidy(value)
  if (tidied === '') return null
  const text = format === 'currency' ? tidied.toUpperCase() : tidied
  const wanted = format && TEXT_FORMATS[format]
  const message =
    textFault(text, maxLength ?? DEFAULT_MAX_LENGTH) ?? (wanted && !wanted.holds(text) ? wanted.message : undefined)
  if (message) faults.push({ path, message })
  return text
}
