// What generators of clients and collections ask of an OpenAPI document.

/** The operations of a document, in its order, with what a generator needs of each. */
export function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => described(document, path, method, operation)),
  )
}

function described(document, path, method, operation) {
  const { operationId, parameters = [], requestBody, responses } = operation
  const name = operationId[0].toUpperCase() + operationId.slice(1)
  const of = (place) => parameters.filter((parameter) => parameter.in === place)
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const body = requestBody?.content['application/json']
  return {
    id: operationId,
    /** The operationId as the beginning of a type's name. */
    name,
    path,
    method: method.toUpperCase(),
    operation,
    pathParameters: of('path'),
    query: of('query'),
    keyed: of('header').some((parameter) => parameter.name === 'Idempotency-Key'),
    body: body && { ...body, type: body.schema.$ref.split('/').pop(), required: requestBody.required },
    /** The answers of success, as named schemas: the usual one, and what is told while it is not done yet. */
    answers: successes.map(([status, { content }]) => [
      status === '202' ? `${name}PendingAnswer` : `${name}Answer`,
      {
        description: `${answerOf(operation)}${status === '202' ? ', before it is done' : ''}.`,
        ...content['application/json'].schema,
      },
    ]),
    /** The schema of the items, of a list with cursors. */
    items: of('query').some((parameter) => parameter.name === 'cursor')
      ? successes[0][1].content['application/json'].schema.properties.data.items
      : undefined,
    document,
  }
}

const answerOf = ({ operationId }) => `What ${operationId} answers`
