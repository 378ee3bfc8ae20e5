// Finds what breaks callers between two versions of an OpenAPI 3.1 document.
import { misfits, plain } from './schemas.mjs'

/**
 * The changes from `before` to `after` that break who relies on `before`: each with the operation that it concerns, such as
 * `GET /contacts`, or `*` for all, and a sentence.
 */
export function breakingChanges(before, after) {
  const [was, is] = [operationsOf(before), operationsOf(after)]
  const own = [...was].flatMap(([name, operation]) => {
    const now = is.get(name)
    const faults = now ? changesOf(operation, now, before, after) : ['is gone']
    return [...new Set(faults)].map((text) => ({ operation: name, text }))
  })
  return [...general(before, after).map((text) => ({ operation: '*', text })), ...own]
}

function operationsOf({ paths }) {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
  )
  return new Map(all)
}

function general(before, after) {
  const base = ({ servers }) => servers[0].url
  const schemes = (document) => Object.keys(document.components.securitySchemes)
  return [
    ...(base(before) === base(after) ? [] : [`the address ${base(before)} became ${base(after)}`]),
    ...schemes(before)
      .filter((name) => !schemes(after).includes(name))
      .map((name) => `the credential ${name} is not taken any more`),
  ]
}

function changesOf(was, is, before, after) {
  const request = { fromDocument: before, toDocument: after, fromIsOlder: true }
  const response = { fromDocument: after, toDocument: before, fromIsOlder: false }
  const permission = 'x-required-permission'
  return [
    ...(was.operationId === is.operationId ? [] : [`operationId ${was.operationId} became ${is.operationId}`]),
    ...(is[permission] && was[permission] !== is[permission]
      ? [`takes ${is[permission]} instead of ${was[permission] ?? 'nothing'}`]
      : []),
    ...parameters(was, is, request),
    ...body(was.requestBody, is.requestBody, request),
    ...answers(was, is, response),
  ]
}

function parameters(was, is, given) {
  const named = ({ parameters = [] }) => new Map(parameters.map((one) => [`${one.in} parameter ${one.name}`, one]))
  const [old, now] = [named(was), named(is)]
  const changed = [...old].flatMap(([name, parameter]) => {
    const other = now.get(name)
    if (!other) return [`the ${name} is gone`]
    const demanded = other.required && !parameter.required ? [`the ${name} must be sent now`] : []
    return [...demanded, ...misfits(parameter.schema, other.schema, given, `the ${name}`)]
  })
  const added = [...now].filter(([name, { required }]) => required && !old.has(name))
  return [...changed, ...added.map(([name]) => `the new ${name} must be sent`)]
}

const JSON_TYPE = 'application/json'

function body(was, is, given) {
  if (!was) return is?.required ? ['a body must be sent now'] : []
  if (!is) return ['no body is taken any more']
  const demanded = is.required && !was.required ? ['a body must be sent now'] : []
  return [...demanded, ...misfits(was.content[JSON_TYPE].schema, is.content[JSON_TYPE].schema, given, 'body')]
}

/** Of failures only the shape counts: that there is one more code, or one less, breaks nobody. */
function answers(was, is, given) {
  return Object.entries(was.responses).flatMap(([status, old]) => {
    const now = is.responses[status]
    const succeeds = status.startsWith('2')
    if (!now) return succeeds ? [`is not answered with ${status} any more`] : []
    const headers = Object.keys(old.headers ?? {})
      .filter((name) => !now.headers?.[name])
      .map((name) => `the header ${name} of ${status} is gone`)
    const schema = ({ content }, document) =>
      succeeds ? content[JSON_TYPE].schema : anyCode(content[JSON_TYPE].schema, document)
    return [
      ...headers,
      ...misfits(schema(now, given.fromDocument), schema(old, given.toDocument), given, `answer ${status}`),
    ]
  })
}

function anyCode(schema, document) {
  const whole = plain(schema, document)
  const error = plain(whole.properties.error, document)
  const { enum: _codes, ...code } = plain(error.properties.code, document)
  return {
    ...whole,
    properties: { ...whole.properties, error: { ...error, properties: { ...error.properties, code } } },
  }
}
