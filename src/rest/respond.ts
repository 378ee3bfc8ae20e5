import type { ServerResponse } from 'node:http'
import type { Context } from '../database/index.js'
import { type AppError, InvalidInput } from '../shared/errors.js'
import { type Fault, MAX_LISTED, namedFault, sentenceOn } from '../shared/faults.js'
import { type Api, type Members, shownAs } from './api.js'
import { snake } from './coerce.js'
import type { Detail } from './findings.js'
import type { Endpoint } from './operation.js'

/** Builds the body of success out of an operation's result. */
export type Envelop = (data: Members) => Members

/** Compiles an endpoint's envelope. */
export function compileEnvelope({ operation, mount }: Endpoint, { success }: Pick<Api, 'success'>): Envelop {
  const { message, envelope } = mount
  const contents = envelope === 'FIELDS' ? fieldsOf(operation.roots) : singleRoot(operation.roots[0]!.key, envelope)
  return (data) => {
    const members = { ...success, ...contents(data) }
    if (message !== undefined) members.message = message
    return members
  }
}

function singleRoot(key: string, envelope: 'DATA' | 'PAGE'): (data: Members) => Members {
  if (envelope === 'DATA') return (data) => ({ data: data[key] })
  return (data) => {
    const { items, pagination } = data[key] as { items: unknown; pagination: unknown }
    return { data: items, pagination }
  }
}

function fieldsOf(roots: Endpoint['operation']['roots']): (data: Members) => Members {
  return (data) => {
    const members: Members = {}
    for (const { key, spread, sparse } of roots) {
      const found = spread ? (data[key] as Members) : { [key]: data[key] }
      for (const [name, value] of Object.entries(found)) {
        if (value !== null || name === 'data') members[name] = sparse.includes(name) ? withoutNulls(value) : value
      }
    }
    return members
  }
}

const withoutNulls = (value: unknown) =>
  Object.fromEntries(Object.entries(value as Members).filter(([, member]) => member !== null))

/** What of an API says how its errors are told. */
type Telling = Pick<Api, 'failure' | 'renamed' | 'inputErrors'>

/** An answer, its body not yet written as text. */
export interface Failure {
  status: number
  body: Members
}

/** How an API tells of an error: code, message, details in documented names, and what else the error carries. */
export function failureOf(api: Telling, error: AppError, endpoint: Endpoint | undefined, requestId: string): Failure {
  const details = error.faults.slice(0, MAX_LISTED).map((fault) => detailOf(fault, endpoint))
  const { code, status } =
    error instanceof InvalidInput ? inputErrorOf(api, endpoint, error, details) : shownAs(api, error)
  const omitted = error.faultsOmitted + error.faults.length - details.length
  const message = error instanceof InvalidInput ? sentenceOn(details, omitted) : error.message
  const members: Members = { code, message, ...listed('details', details, omitted) }
  for (const [name, value] of Object.entries(error.extra)) members[snake(name)] = value
  members.request_id = requestId
  return { status, body: { ...api.failure, error: members } }
}

/** The code for faults of inputs: the first of the API's own that fits one of them, else the usual one. */
function inputErrorOf(
  api: Telling,
  endpoint: Endpoint | undefined,
  error: AppError,
  details: readonly Detail[],
): { code: string; status: number } {
  const inBody = (field: string) =>
    endpoint?.parameters.some(({ name, source }) => name === field && source === 'body') === true
  const own = api.inputErrors?.find(({ field, missing }) =>
    details.some((detail, i) =>
      missing ? error.faults[i]!.missing && inBody(detail.field) : detail.field.split('.')[0] === field,
    ),
  )
  return own?.error ?? shownAs(api, error)
}

/** A list as a member of an answer, and how many more entries there are. */
function listed(name: string, entries: readonly Detail[], omitted: number): Members {
  if (entries.length === 0) return {}
  const more = omitted + Math.max(entries.length - MAX_LISTED, 0)
  return { [name]: entries.slice(0, MAX_LISTED), ...(more > 0 && { [`${name}_omitted`]: more }) }
}

/** Adds warnings to a body, after those that it has; `omitted` are so many more that are not told. */
export function addWarnings(body: Members, more: readonly Detail[], omitted = 0): void {
  if (more.length === 0) return
  const { warnings = [], warnings_omitted: before = 0 } = body as { warnings?: Detail[]; warnings_omitted?: number }
  Object.assign(body, listed('warnings', [...warnings, ...more], before + omitted))
}

/** What services told of odd inputs, in documented names. */
export function documentedWarnings({ warnings }: Context, endpoint: Endpoint): Detail[] {
  return warnings.list.map((warning) => detailOf(warning, endpoint))
}

/** A fault of an input path under the name of the parameter that fills it. */
export function detailOf({ path, message, extra = {}, documented }: Fault, endpoint: Endpoint | undefined): Detail {
  const further = Object.fromEntries(Object.entries(extra).map(([name, value]) => [snake(name), value]))
  return { ...namedFault(documented ? path : documentedPath(path, endpoint), message), ...further }
}

/** The documented names along a GraphQL input path. */
export function documentedPath(path: Fault['path'], endpoint: Endpoint | undefined): string[] {
  for (let length = path.length; length > 0; length--) {
    const target = path.slice(0, length).join('.')
    const parameter = endpoint?.parameters.find(({ targets }) => targets.includes(target))
    if (parameter) return [parameter.name, ...path.slice(length).map(String).map(snake)]
  }
  return path.map(String).map(snake)
}

/** Sends a body as JSON; the only place of the REST layer that writes one. */
export function send(response: ServerResponse, status: number, body: Members | string): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  })
  response.end(text)
}
