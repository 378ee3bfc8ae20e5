import { StripeFailure } from './errors.js'

/** What a form says: texts, and what brackets nest. Arrays are told from objects by what the parameter is. */
export type FormValue = string | { [name: string]: FormValue }
export type Form = { [name: string]: FormValue }

/**
 * Reads `application/x-www-form-urlencoded`, of a body or a query, with Stripe's brackets: `items[0][price]=…`,
 * `expand[]=…`, `metadata[key]=…`.
 */
export function readForm(text: string): Form {
  const form: Form = Object.create(null)
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)]
    put(form, pathOf(decode(name)), decode(value))
  }
  return form
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new StripeFailure('Invalid request: the body is not valid UTF-8', { kept: false })
  }
}

/** `a[b][]` is a, b and the next free index. */
function pathOf(name: string): string[] {
  const head = /^[^[\]]+/.exec(name)?.[0]
  const rest = head === undefined ? name : name.slice(head.length)
  if (head === undefined || !/^(\[[^[\]]*\])*$/.test(rest)) {
    throw new StripeFailure(`Invalid parameter name: ${name}`, { kept: false })
  }
  return [head, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, part]) => part!)]
}

function put(form: Form, path: string[], value: string): void {
  let place: Form = form
  path.forEach((part, depth) => {
    const name = part === '' ? String(Object.keys(place).length) : part
    if (depth === path.length - 1) {
      if (typeof place[name] === 'object') throw mixed(path)
      place[name] = value
      return
    }
    place[name] ??= Object.create(null) as Form
    const inner = place[name]
    if (typeof inner === 'string') throw mixed(path)
    place = inner
  })
}

const mixed = ([first]: string[]) => new StripeFailure(`Invalid hash: ${first}`, { param: first, kept: false })
