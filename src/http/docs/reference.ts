/** An OpenAPI document as far as this looks into it. */
interface Document {
  paths: Record<string, Record<string, { parameters?: Parameter[] }>>
}

interface Parameter {
  required?: boolean
  example?: unknown
  schema: Record<string, unknown>
}

/**
 * A document to try calls out with: the page sends every parameter that has an example, and a cursor or an
 * Idempotency-Key that others used is refused. So those that need not be sent have none here.
 */
export function toTryOut(document: object): object {
  const { paths, ...rest } = document as Document
  const items = Object.entries(paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) => [
      method,
      { ...operation, parameters: operation.parameters?.map(withoutExample) },
    ])
    return [path, Object.fromEntries(operations)]
  })
  return { ...rest, paths: Object.fromEntries(items) }
}

function withoutExample(parameter: Parameter): Parameter {
  if (parameter.required) return parameter
  const { example: _example, schema, ...rest } = parameter
  const { examples: _examples, ...plain } = schema
  return { ...rest, schema: plain }
}
