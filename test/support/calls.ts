import { type GraphQLInputType, getNamedType, isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql'
import { snake } from '../../src/rest/coerce.js'
import type { Endpoint, Parameter } from '../../src/rest/index.js'
import type { Answer, Client } from './client.js'
import { type IdSlot, idSlots, type World } from './fixtures.js'

/** An operation's variables, as /graphql takes them. */
export type Variables = Record<string, unknown>

/** `GET /contacts/:id` */
export const nameOf = ({ mount }: Endpoint): string => `${mount.method} ${mount.path}`

/** The records whose ids an endpoint takes, by the name of the variable and the path below it. */
export type Ids = ReadonlyMap<string, string>

export const slotName = ({ parameter, below }: IdSlot): string => [parameter.name, ...below].join('.')

/** The ids of the world's own records for an endpoint. */
export async function ownIds(endpoint: Endpoint, world: World): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  for (const slot of idSlots(endpoint)) ids.set(slotName(slot), await world.id(slot.key))
  return ids
}

const SAMPLES: Record<string, unknown> = {
  String: 'a',
  Int: 2,
  Float: 1.5,
  Boolean: true,
  DateBound: '2026-01-31',
  DateTime: '2026-01-31T09:30:00.000Z',
  JSONObject: { segment: 'B', deep: [{ a: null }] },
}

/** A value that a parameter takes: the id in its place, the example of the documentation, or one by its type. */
export function sampleOf({ name, type, rule }: Parameter, ids: Ids): unknown {
  return sample(type, name, rule?.extensions.example, ids)
}

function sample(type: GraphQLInputType, place: string, example: unknown, ids: Ids): unknown {
  if (isNonNullType(type)) return sample(type.ofType, place, example, ids)
  if (ids.has(place)) return isListType(type) ? [ids.get(place)] : ids.get(place)
  // Examples are spelt as REST spells them, which of records is another spelling than that of /graphql.
  if (isListType(type)) {
    const ofRecords = isInputObjectType(getNamedType(type))
    return (ofRecords ? undefined : example) ?? [sample(type.ofType, place, undefined, ids)]
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    const members = fields.map((f) => [f.name, sample(f.type, `${place}.${f.name}`, f.extensions.example, ids)])
    return Object.fromEntries(members)
  }
  if (isEnumType(type)) return type.getValues()[0]!.name
  const value = example ?? SAMPLES[type.name]
  if (value === undefined) throw new Error(`test/support/calls.ts has no sample of ${type.name} for ${place}.`)
  return value
}

/** Variables for an endpoint: all that are required, and of the others those that are asked for. Only the service makes cursors. */
export function sampleVariables({ parameters }: Endpoint, ids: Ids, wanted: (name: string) => boolean): Variables {
  const chosen = parameters.filter(({ name, required }) => required || (name !== 'cursor' && wanted(name)))
  return Object.fromEntries(chosen.map((parameter) => [parameter.name, sampleOf(parameter, ids)]))
}

/** Makes the call over REST that an operation with these variables is. */
export function callWith(
  client: Pick<Client, 'call'>,
  { mount, parameters }: Endpoint,
  variables: Variables,
): Promise<Answer> {
  const given = parameters.filter(({ name }) => variables[name] !== undefined)
  const from = (source: Parameter['source']) =>
    given.filter((one) => one.source === source).map((one) => [one, toRest(one.type, variables[one.name])] as const)
  const path = from('path').reduce(
    (text, [{ name }, value]) => text.replace(`:${name}`, encodeURIComponent(String(value))),
    mount.path,
  )
  const query = new URLSearchParams(Object.fromEntries(from('query').map(([{ name }, value]) => [name, String(value)])))
  const headers = Object.fromEntries(from('header').map(([{ header }, value]) => [header!, String(value)]))
  const takesBody = parameters.some(({ source }) => source === 'body')
  const body = takesBody ? Object.fromEntries(from('body').map(([{ name }, value]) => [name, value])) : undefined
  return client.call(mount.method, `${path}?${query}`, { body, headers })
}

/** An operation's variables as the arguments of a tool. */
export function argumentsOf({ parameters }: Endpoint, variables: Variables): Variables {
  const given = parameters.filter(({ name }) => variables[name] !== undefined)
  return Object.fromEntries(given.map(({ name, type }) => [name, toRest(type, variables[name])]))
}

/** A variable's value as REST spells it: enums in lower case, members of objects with underscores. */
function toRest(type: GraphQLInputType, value: unknown): unknown {
  if (isNonNullType(type)) return toRest(type.ofType, value)
  if (value === null) return null
  if (isListType(type)) return (value as unknown[]).map((item) => toRest(type.ofType, item))
  if (isEnumType(type)) return String(value).toLowerCase()
  if (!isInputObjectType(type)) return value
  const fields = type.getFields()
  return Object.fromEntries(
    Object.entries(value as object).map(([name, inner]) => [snake(name), toRest(fields[name]!.type, inner)]),
  )
}
