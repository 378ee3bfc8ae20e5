import type { IncomingHttpHeaders } from 'node:http'
import { isEnumType, isListType } from 'graphql'
import { compileField } from '../kit/check-input.js'
import type { Fault } from '../shared/errors.js'
import { type Coerce, choices, compileJson, compileText, snake, warnOfUnknown } from './coerce.js'
import { Findings } from './findings.js'
import type { Endpoint, Parameter } from './operation.js'
import type { QueryParameters } from './query-string.js'

/** What of a request an endpoint's parameters are taken from. */
export interface Input {
  path: Readonly<Record<string, string>>
  query: QueryParameters
  body: object
  headers: IncomingHttpHeaders
}

/** Fills an operation's variables from a request. */
export type Bind = (input: Input, findings: Findings) => Record<string, unknown>

type Read = (input: Input, findings: Findings) => unknown

/** Names in a query string that the REST layer itself understands. */
const RESERVED = new Set(['api_key'])

/** Compiles the binding of an endpoint: each parameter's source and type are looked at once, here. */
export function compileBind({ parameters }: Endpoint): Bind {
  const readers = parameters.map((parameter) => [parameter, compileRead(parameter)] as const)
  const inBody = new Set(parameters.filter(({ source }) => source === 'body').map(({ name }) => name))
  const inQuery = new Set(parameters.filter(({ source }) => source === 'query').map(({ name }) => name))
  return (input, findings) => {
    const variables: Record<string, unknown> = {}
    for (const [{ name, required }, read] of readers) {
      const value = read(input, findings)
      if (value !== undefined) variables[name] = value
      else if (required && !findings.isWrong(name)) findings.fault(name, 'is required', true)
    }
    noticeUnknown(Object.keys(input.body), inBody, findings)
    noticeRepeated(input.query, inQuery, findings)
    noticeUnknown(input.query.keys(), inQuery, findings)
    if (findings.faults.length > 0) addRuleFaults(parameters, variables, findings)
    return variables
  }
}

/**
 * A request with faults of form is refused here, before the schema's own rules have been looked at; so that the caller
 * hears of all faults at once, they are looked at for the other parameters.
 */
function addRuleFaults(parameters: readonly Parameter[], variables: Record<string, unknown>, findings: Findings): void {
  const faults: Fault[] = []
  for (const { name, rule } of parameters) {
    if (rule && name in variables && !findings.isWrong(name))
      compileField(rule)(variables[name], [name], faults, { demanded: [], dropped: [] })
  }
  for (const { path, message, missing } of faults) {
    findings.fault(path.map(String).map(snake).join('.'), message, missing)
  }
}

/** A parameter that the endpoint knows looks itself whether it may repeat; no other may. */
function noticeRepeated(query: QueryParameters, known: Set<string>, findings: Findings): void {
  for (const [name, values] of query) {
    if (values.length > 1 && !known.has(name)) findings.fault(name, 'must be given only once')
  }
}

function noticeUnknown(names: Iterable<string>, known: Set<string>, findings: Findings): void {
  for (const field of names) {
    if (!known.has(field) && !RESERVED.has(field)) warnOfUnknown(findings, field)
  }
}

function compileRead(parameter: Parameter): Read {
  const { name, source, header } = parameter
  if (source === 'body') {
    const coerce = withRange(parameter, compileJson(parameter.type))
    const hasDefault = parameter.defaultValue !== undefined && parameter.defaultValue !== null
    return ({ body }, findings) => {
      const value = Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : undefined
      if (value === null && hasDefault) return undefined // as if it were absent
      return value === undefined ? undefined : coerce(value, name, findings)
    }
  }
  const coerce = withRange(parameter, withDefault(parameter, compileText(parameter.type)))
  if (source === 'path') return ({ path }, findings) => coerce(path[name]!, name, findings)
  if (source === 'header') {
    return ({ headers }, findings) => {
      const value = headers[header!.toLowerCase()]
      return value === undefined || value === '' ? undefined : coerce(String(value), name, findings)
    }
  }
  return compileQueryRead(parameter, coerce)
}

function compileQueryRead({ name, type }: Parameter, coerce: Coerce): Read {
  const mayRepeat = isListType(type)
  return ({ query }, findings) => {
    const values = query.get(name)
    if (!values) return undefined
    if (values.includes(undefined)) return findings.fault(name, 'is not valid UTF-8')
    if (values.length > 1 && !mayRepeat) {
      return findings.fault(name, 'must be given only once')
    }
    const text = values.length > 1 ? values.join(',') : values[0]!
    const empty = mayRepeat ? /^[\s,]*$/.test(text) : text.trim() === ''
    return empty ? undefined : coerce(text, name, findings)
  }
}

/** A choice that has a default falls back to it, with a warning, when it is given a value that does not exist. */
function withDefault({ type, defaultValue }: Parameter, coerce: Coerce): Coerce {
  if (!isEnumType(type) || defaultValue === undefined) return coerce
  // A default that says nothing leaves it to the rest of the input.
  const fallback = defaultValue === null ? 'the usual one' : String(type.serialize(defaultValue)).toLowerCase()
  return (value, field, findings) => {
    const quiet = new Findings()
    const known = coerce(value, field, quiet)
    if (known !== undefined) return known
    return findings.warn(field, `is none of ${choices(type)}`, `; ${fallback} was used`)
  }
}

function withRange({ range }: Parameter, coerce: Coerce): Coerce {
  if (!range) return coerce
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = range
  return (value, field, findings) => {
    const number = coerce(value, field, new Findings())
    const nearest = typeof number === 'number' ? Math.min(Math.max(number, min), max) : number
    if (nearest === number) return coerce(value, field, findings) // what it has to tell
    findings.warn(field, `is outside ${bounds(range)}`, `; ${nearest} was used`)
    return nearest
  }
}

function bounds({ min, max }: { min?: number; max?: number }): string {
  if (max === undefined) return `${min} and above`
  return min === undefined ? `${max} and below` : `${min} to ${max}`
}
