/** The parameters of a query string: each name with its values in order; undefined for one that is not valid UTF-8. */
export type QueryParameters = Map<string, (string | undefined)[]>

const EMPTY: QueryParameters = new Map()

/** Reads what stands after `?` in a request's url. */
export function parseQuery(search: string): QueryParameters {
  if (search === '') return EMPTY
  const parameters: QueryParameters = new Map()
  for (const part of search.split('&')) {
    if (part === '') continue
    const at = part.indexOf('=')
    const encoded = at < 0 ? part : part.slice(0, at)
    const name = decode(encoded) ?? encoded
    const value = at < 0 ? '' : decode(part.slice(at + 1))
    const known = parameters.get(name)
    if (known) known.push(value)
    else parameters.set(name, [value])
  }
  return parameters
}

function decode(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return undefined
  }
}
