import { type Model, schemaOf } from './model.js'

interface Form {
  type?: string | string[]
  enum?: unknown[]
  properties?: Record<string, Form>
}

/** The least that fits a schema: nothing in lists, null where no text may be, and the same sentence where it may. */
function least({ type, enum: values, properties }: Form): unknown {
  const kinds = [type ?? []].flat()
  if (kinds.includes('null') && !kinds.includes('string')) return null
  if (values) return values[0]
  if (kinds.includes('object')) {
    return Object.fromEntries(Object.entries(properties ?? {}).map(([name, form]) => [name, least(form)]))
  }
  if (kinds.includes('array')) return []
  if (kinds.includes('boolean')) return false
  if (kinds.includes('integer') || kinds.includes('number')) return 0
  return 'Thanks for your message!'
}

/** A model that is friendly and knows nothing. */
export const plainAnswer: Model = (request) => {
  const schema = schemaOf(request)
  return { content: schema ? JSON.stringify(least(schema as Form)) : 'Thanks for your message!' }
}
