import { type Kind, stripeTypes } from '../types/schema.js'

/** An object as it goes over the wire. */
export type Answer = Record<string, unknown>

const empty = new Map<string, Answer>()

/** What is null in an object unless something is said: each field that Stripe always sends and that may be null. */
function emptyOf(name: string): Answer {
  const known = empty.get(name)
  if (known) return known
  const { fields, required = [] } = stripeTypes.objects[name]!
  const mayBeNull = (kind: Kind) => typeof kind === 'object' && kind.nullable === true
  const made = Object.fromEntries(required.filter((field) => mayBeNull(fields[field]!)).map((field) => [field, null]))
  empty.set(name, made)
  return made
}

/** An object of Stripe's out of what is known of it; what else it has and may be null is null. */
export function complete(name: string, known: Answer): Answer {
  const mode = Object.hasOwn(stripeTypes.objects[name]!.fields, 'livemode') ? { livemode: false } : {}
  return { ...emptyOf(name), ...mode, ...known }
}

/** A list as it stands inside of an object. */
export const inner = (data: Answer[], url: string) => ({ object: 'list', data, has_more: false, url })

export const noAddress = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null }
