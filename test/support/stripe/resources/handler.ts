import type { Answer } from '../answers/complete.js'
import { noSuch, notBuilt } from '../errors.js'
import type { Params } from '../params.js'
import type { Metadata } from '../records.js'
import type { World } from '../world.js'

/** One call, its parameters read. */
export interface Call {
  world: World
  /** The ids in its address, by their names in the package's code. */
  path: Record<string, string>
  params: Params
}

/**
 * What answers an endpoint. A parameter that Stripe knows and that is not in `takes` is refused as not built, since to pass
 * over it would be an answer that Stripe never gives; `expand` is everybody's.
 */
export interface Handler {
  takes?: readonly string[]
  run(call: Call): Answer
}

export type Handlers = Record<string, Handler>

/** The record of an id in the address, or a 404. */
export function found<T>(records: Map<string, T>, id: string, kind: string): T {
  const record = records.get(id)
  if (!record) throw noSuch(kind, id)
  return record
}

/** The record that a parameter names, or a 400. */
export function named<T>(records: Map<string, T>, id: unknown, kind: string, param: string): T {
  const record = records.get(id as string)
  if (!record) throw noSuch(kind, String(id), param)
  return record
}

/** Metadata after a change: keys are added, replaced, and taken away by an empty value; "" takes all away. */
export function mergeMetadata(before: Metadata, change: unknown): Metadata {
  if (change === undefined) return before
  if (change === '') return {}
  const merged = { ...before, ...(change as Metadata) }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== ''))
}

/** A text parameter: absent leaves what is there, "" empties it. */
export const textOf = (value: unknown, before: string | null): string | null =>
  value === undefined ? before : value === '' ? null : String(value)

/** With what kinds of methods something may be paid, as its settings say; cards are all that there is here. */
export function paymentMethodTypes({ payment_settings: settings }: Params, before: string[] | null): string[] | null {
  if (settings === undefined) return before
  const { payment_method_types: types, ...others } = settings as Record<string, unknown>
  if (Object.keys(others).length > 0) throw notBuilt(`payment_settings[${Object.keys(others)[0]}]`)
  if (types === '' || types === undefined) return null
  if ((types as string[]).some((type) => type !== 'card')) throw notBuilt('payment methods other than cards')
  return types as string[]
}
