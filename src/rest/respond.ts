import type { ServerResponse } from 'node:http'
import type { AppError, Fault } from '../shared/errors.js'
import { type Api, type Members, shownAs } from './api.js'
import { type Detail, snake } from './coerce.js'
import type { Endpoint } from './operation.js'

/** Builds the body of success out of an operation's result. */
export type Envelop = (data: Members, warnings: readonly Detail[]) => Members

/** Compiles an endpoint's envelope. */
export function compileEnvelope({ operation, mount }: Endpoint, { success }: Api): Envelop {
  const { message, envelope } = mount
  const contents = envelope === 'FIELDS' ? fieldsOf(operation.roots) : singleRoot(operation.roots[0]!.key, envelope)
  return (data, warnings) => {
    const members = { ...success, ...contents(data) }
    if (message !== undefined) members.message = message
    if (warnings.length > 0) members.warnings = warnings
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
    for (const { key, spread } of roots) {
      const found = spread ? (data[key] as Members) : { [key]: data[key] }
      for (const [name, value] of Object.entries(found)) {
        if (value !== null || name === 'data') members[name] = value
      }
    }
    return members
  }
}

/** An answer, its body not yet written as text. */
export interface Failure {
  status: number
  body: Members
}

/** How an API tells of an error: code, message, details in documented names, and what else the error carries. */
export function failureOf(api: Api, error: AppError, endpoint: Endpoint | undefined, requestId: string): Failure {
  const { code, status } = shownAs(api, error)
  const members: Members = { code, message: error.message }
  if (error.faults.length > 0) members.details = error.faults.map((fault) => detailOf(fault, endpoint))
  for (const [name, value] of Object.entries(error.extra)) members[snake(name)] = value
  members.request_id = requestId
  return { status, body: { ...api.failure, error: members } }
}

/** A fault of an input path under the name of the parameter that fills it; of a list's item it says which. */
function detailOf({ path, message, extra = {}, documented }: Fault, endpoint: Endpoint | undefined): Detail {
  const further = Object.fromEntries(Object.entries(extra).map(([name, value]) => [snake(name), value]))
  const [name, ...rest] = documented ? path.map(String) : documentedPath(path, endpoint)
  const item = rest.find(isIndex)
  const field = [name, ...rest.filter((name) => !isIndex(name))].join('.')
  return { field, message: item === undefined ? message : `item ${Number(item) + 1} ${message}`, ...further }
}

const isIndex = (name: string) => /^\d+$/.test(name)

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
