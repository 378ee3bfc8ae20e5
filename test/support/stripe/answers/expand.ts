import { invalid } from '../errors.js'
import { type Kind, stripeTypes } from '../types/schema.js'
import type { World } from '../world.js'
import { typeOf } from './check.js'
import { type Answer, inner } from './complete.js'

/** How deep an answer is expanded at most (docs.stripe.com/expand). */
const DEPTH = 4

/** Puts objects in the place of their ids, and adds lists that are only there when asked for. */
export function expand(world: World, answer: Answer, paths: readonly string[]): void {
  for (const path of paths) {
    const steps = path.split('.')
    if (steps.filter((step) => step !== 'data').length > DEPTH) {
      throw invalid(`You cannot expand more than ${DEPTH} levels of a property. Property: ${path}`, 'expand')
    }
    follow(world, answer, undefined, steps, path)
  }
}

function follow(world: World, value: unknown, kind: Kind | undefined, steps: string[], path: string): void {
  const [step, ...rest] = steps
  if (step === undefined || value === null || typeof value !== 'object') return
  if (isList(value)) {
    if (step !== 'data') throw unable(path)
    for (const one of value.data) follow(world, one, undefined, rest, path)
    return
  }
  const holder = value as Answer
  const type = stripeTypes.objects[typeOf(value) ?? '']
  const known = type?.fields[step] ?? (typeof kind === 'object' ? kind.fields?.[step] : undefined)
  if (known === undefined) throw unable(path)
  if (holder[step] === undefined) holder[step] = included(world, holder, step)
  const shown = holder[step]
  if (typeof shown === 'string') {
    const object = isExpandable(known) ? world.answerOf(shown) : undefined
    if (!object) throw unable(path)
    holder[step] = structuredClone(object)
  } else if (rest.length === 0 && shown !== null && !isExpandable(known) && !isList(shown)) throw unable(path)
  follow(world, holder[step], known, rest, path)
}

const isList = (value: unknown): value is { data: Answer[] } =>
  typeof value === 'object' && value !== null && ['list', 'search_result'].includes((value as Answer).object as string)

const unable = (path: string) => invalid(`This property cannot be expanded (${path}).`, 'expand')

function isExpandable(kind: Kind): boolean {
  if (typeof kind !== 'object') return false
  return kind.object !== undefined || kind.list !== undefined || (kind.anyOf?.some(isExpandable) ?? false)
}

/** Lists that an object has only when they are asked for. */
function included(world: World, holder: Answer, field: string): Answer | undefined {
  const id = holder.id as string
  const listOf = (records: Iterable<{ id: string }>, url: string) =>
    inner(
      [...records].reverse().map((record) => world.answerOf(record.id)!),
      url,
    )
  const key = `${holder.object}.${field}`
  if (key === 'invoice.payments') {
    const payments = [...world.invoicePayments.values()].filter(({ invoice }) => invoice === id)
    return listOf(payments, `/v1/invoice_payments?invoice=${id}`)
  }
  if (key === 'charge.refunds') {
    return listOf(
      [...world.refunds.values()].filter(({ charge }) => charge === id),
      `/v1/charges/${id}/refunds`,
    )
  }
  if (key === 'customer.subscriptions') {
    const active = [...world.subscriptions.values()].filter(
      ({ customer, status }) => customer === id && status !== 'canceled',
    )
    return listOf(active, `/v1/customers/${id}/subscriptions`)
  }
  return undefined
}
