import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** A JSON Schema, or another object of an OpenAPI document. */
// biome-ignore lint/suspicious/noExplicitAny: a document has every shape
export type Json = Record<string, any>

/** An answer as far as the document speaks of it. */
export interface HttpAnswer {
  status: number
  headers: { get(name: string): string | null }
  body: Json
}

/** One operation of the document. */
export interface Operation {
  method: string
  /** Below the base address, parameters as `{name}`. */
  path: string
  object: Json
}

/** A committed document with its operations. */
export interface Described {
  name: string
  document: Json
  operations: readonly Operation[]
}

function described(name: string): Described {
  const document: Json = JSON.parse(readFileSync(new URL(`../../schema/openapi/${name}.json`, import.meta.url), 'utf8'))
  const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, object]) => ({ method: method.toUpperCase(), path, object })),
  )
  return { name, document, operations }
}

/** The document of the external API. */
export const EXTERNAL_API = described('external')

/** The document of the agencies' API. */
export const AGENCY_API = described('agency')

/** The documents of all APIs. */
export const DESCRIBED_APIS = [EXTERNAL_API, AGENCY_API]

/** The document of the external API, for tests that know no other. */
export const DOCUMENT: Json = EXTERNAL_API.document

/** All operations of the external API's document. */
export const OPERATIONS: readonly Operation[] = EXTERNAL_API.operations

/** An error that belongs to no operation may have these statuses. */
const OUTSIDE = new Map([
  [404, 'NOT_FOUND'],
  [405, 'METHOD_NOT_ALLOWED'],
])

/** What the service promises of a timestamp, which is less than ISO 8601 allows. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** A validator of the whole project's kind: all faults, formats, and timestamps as the service writes them. */
export function createAjv({ timestamps = TIMESTAMP as RegExp | undefined } = {}): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  if (timestamps) ajv.addFormat('date-time', timestamps)
  return ajv
}

/** A schema with its references filled in and its `allOf` made one, so that it can be walked, and closed. */
export function resolved(schema: Json, document: Json = DOCUMENT): Json {
  if (schema.$ref) {
    const { $ref, ...beside } = schema
    return { ...resolved(lookUp(document, $ref), document), ...beside }
  }
  const { allOf = [], ...own } = schema
  const copy: Json = {}
  for (const [key, value] of Object.entries(own)) copy[key] = resolvedMember(key, value, document)
  return (allOf as Json[]).map((part) => resolved(part, document)).reduce(merged, copy)
}

function resolvedMember(key: string, value: unknown, document: Json): unknown {
  if (key === 'properties') {
    return Object.fromEntries(Object.entries(value as Json).map(([name, of]) => [name, resolved(of, document)]))
  }
  if (key === 'anyOf' || key === 'oneOf') return (value as Json[]).map((one) => resolved(one, document))
  return key === 'items' ? resolved(value as Json, document) : value
}

/** What two parts of an `allOf` say together. */
function merged(a: Json, b: Json): Json {
  const both: Json = { ...a, ...b }
  if (a.required || b.required) both.required = [...new Set([...(a.required ?? []), ...(b.required ?? [])])]
  if (a.properties && b.properties) {
    both.properties = { ...a.properties }
    for (const [name, of] of Object.entries<Json>(b.properties)) {
      both.properties[name] = a.properties[name] ? merged(a.properties[name], of) : of
    }
  }
  return both
}

function lookUp(document: Json, $ref: string): Json {
  return $ref
    .slice(2)
    .split('/')
    .reduce((node, name) => node[name], document)
}

/** A resolved schema that allows no members but those it names. Free-form objects name none and stay free. */
export function closed(schema: Json): Json {
  const copy: Json = { ...schema }
  if (schema.properties) {
    copy.additionalProperties ??= false
    copy.properties = Object.fromEntries(
      Object.entries<Json>(schema.properties).map(([name, of]) => [name, closed(of)]),
    )
  }
  if (schema.items) copy.items = closed(schema.items)
  for (const key of ['anyOf', 'oneOf']) if (schema[key]) copy[key] = schema[key].map(closed)
  return copy
}

/** The schema of the JSON that an operation answers with this status, closed; undefined where it has none. */
export function answerSchema(
  { object }: Operation,
  status: number | string,
  document: Json = DOCUMENT,
): Json | undefined {
  const schema = object.responses[status]?.content?.['application/json']?.schema
  return schema && closed(resolved(schema, document))
}

/** The operation at a path of a request, still percent-encoded; a trailing slash does not count. */
export function operationAt(method: string, path: string, operations = OPERATIONS): Operation | undefined {
  const verb = method === 'HEAD' ? 'GET' : method
  return operations.find((one) => one.method === verb && fits(one.path, path))
}

function fits(template: string, path: string): boolean {
  const wanted = segments(template)
  const given = segments(path)
  return wanted.length === given.length && wanted.every((name, i) => fitsSegment(name, given[i]!))
}

function fitsSegment(wanted: string, given: string): boolean {
  if (!wanted.startsWith('{')) return wanted === given
  return given !== '' && isDecodable(given)
}

function segments(path: string): string[] {
  const end = path.endsWith('/') ? path.length - 1 : path.length
  return path.slice(0, end).split('/')
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined
  } catch {
    return false
  }
}

/** Compiled at the first use: most test files see few of the answers. */
const validators = new Map<string, ValidateFunction>()
let ajv: Ajv2020 | undefined

function validatorOf(name: string, schema: () => Json): ValidateFunction {
  let validate = validators.get(name)
  if (!validate) {
    ajv ??= createAjv()
    validate = ajv.compile(schema())
    validators.set(name, validate)
  }
  return validate
}

const faultsOf = (validate: ValidateFunction, value: unknown, where: string): string[] =>
  validate(value)
    ? []
    : validate.errors!.map((e) => `${where}${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`)

/** What of an answer differs from the document; nothing if all is well. `path` is below the base address. */
export function faultsOfAnswer(
  method: string,
  path: string,
  answer: HttpAnswer,
  api: Described = EXTERNAL_API,
): string[] {
  const end = path.search(/[?#]/)
  const operation = operationAt(method, end < 0 ? path : path.slice(0, end), api.operations)
  const faults = operation ? faultsOfDocumented(operation, answer, api) : faultsOutside(answer, api)
  const type = answer.headers.get('content-type')
  if (type !== 'application/json; charset=utf-8') faults.push(`the Content-Type is ${type}`)
  const requestId = answer.headers.get('x-request-id')
  if (!requestId) faults.push('there is no X-Request-Id')
  if (answer.body?.error && answer.body.error.request_id !== requestId) faults.push('request_id is not X-Request-Id')
  return faults
}

function faultsOutside({ status, headers, body }: HttpAnswer, { name, document }: Described): string[] {
  const code = OUTSIDE.get(status)
  if (!code) return [`there is no such operation in the document, but the status is ${status}`]
  const validate = validatorOf(`${name} outside`, () =>
    closed(resolved({ $ref: '#/components/schemas/Error' }, document)),
  )
  const faults = faultsOf(validate, body, 'body')
  if (body?.error?.code !== code) faults.push(`the code is ${body?.error?.code} instead of ${code}`)
  if (status === 405 && !headers.get('allow')) faults.push('there is no Allow header')
  return faults
}

function faultsOfDocumented(operation: Operation, { status, headers, body }: HttpAnswer, api: Described): string[] {
  const response = operation.object.responses[status]
  if (!response) return [`the status ${status} is not documented (${JSON.stringify(body?.error)})`]
  const name = `${api.name} ${operation.method} ${operation.path} ${status}`
  const validate = validatorOf(name, () => answerSchema(operation, status, api.document)!)
  return [...faultsOf(validate, body, 'body'), ...faultsOfHeaders(response, headers, api.document)]
}

function faultsOfHeaders(response: Json, headers: HttpAnswer['headers'], document: Json): string[] {
  return Object.entries<Json>(response.headers).flatMap(([name, given]) => {
    const { required, schema } = resolved(given, document)
    const value = headers.get(name)
    if (value === null) return required ? [`the header ${name} is missing`] : []
    const typed = schema.type === 'integer' && /^\d+$/.test(value) ? Number(value) : value
    return faultsOf(
      validatorOf(`header ${name}`, () => schema),
      typed,
      name,
    )
  })
}

/** Throws when an answer is not what the document says. */
export function checkAnswer(method: string, path: string, answer: HttpAnswer, api: Described = EXTERNAL_API): void {
  const faults = faultsOfAnswer(method, path, answer, api)
  if (faults.length === 0) return
  throw new Error(
    `${method} ${path} was answered with ${answer.status}, but not as schema/openapi/${api.name}.json says ` +
      `(\`npm run schema\` writes it):\n- ${faults.join('\n- ')}\n${JSON.stringify(answer.body)?.slice(0, 2000)}`,
  )
}
