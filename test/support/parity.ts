import type { Endpoint } from '../../src/rest/index.js'
import { type Ids, sampleVariables, type Variables } from './calls.js'

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g

/** Data without what differs between two runs: ids by their order, times as such, and what a call uses up. */
export function normalised(data: unknown): unknown {
  const ids: string[] = []
  const place = (id: string) => (ids.includes(id) ? ids.indexOf(id) : ids.push(id) - 1)
  const text = JSON.stringify(data, (key, value) => (key === 'remaining' ? 'some' : value))
  return JSON.parse(text.replace(UUID, (id) => `id ${place(id)}`).replace(TIME, 'time'))
}

/** Every way to call an endpoint that may matter: with nothing optional, everything, and each alone, also as null. */
export function variations(endpoint: Endpoint, ids: Ids): Variables[] {
  const optional = endpoint.parameters.filter(({ required }) => !required)
  const minimal = sampleVariables(endpoint, ids, () => false)
  const all = sampleVariables(endpoint, ids, () => true)
  const inBody = optional.filter(({ source }) => source === 'body').map(({ name }) => name)
  return [
    minimal,
    all,
    ...Object.keys(all).map((name) => ({ ...minimal, [name]: all[name] })),
    ...inBody.map((name) => ({ ...minimal, [name]: null })),
    { ...minimal, ...Object.fromEntries(inBody.map((name) => [name, null])) },
    ...enumVariations(endpoint, minimal),
  ]
}

function enumVariations({ parameters }: Endpoint, minimal: Variables): Variables[] {
  return parameters.flatMap(({ name, type }) =>
    'getValues' in type ? type.getValues().map((value) => ({ ...minimal, [name]: value.name })) : [],
  )
}
