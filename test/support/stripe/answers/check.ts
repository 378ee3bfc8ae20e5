import { examples, type Kind, stripeTypes } from '../types/schema.js'
import type { Answer } from './complete.js'

/** Types of objects by what these say they are in `object`. */
const TYPE_OF: Readonly<Record<string, string>> = {
  charge: 'Charge',
  customer: 'Customer',
  customer_balance_transaction: 'CustomerBalanceTransaction',
  invoice: 'Invoice',
  invoice_payment: 'InvoicePayment',
  invoiceitem: 'InvoiceItem',
  line_item: 'InvoiceLineItem',
  payment_intent: 'PaymentIntent',
  payment_method: 'PaymentMethod',
  plan: 'Plan',
  price: 'Price',
  product: 'Product',
  refund: 'Refund',
  subscription: 'Subscription',
  subscription_item: 'SubscriptionItem',
  webhook_endpoint: 'WebhookEndpoint',
}

/** The type of an object that says what it is. */
export const typeOf = (value: unknown): string | undefined =>
  isObject(value) ? TYPE_OF[value.object as string] : undefined

const isObject = (value: unknown): value is Answer =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is wrong with an answer, each with its place: against the types of the package and Stripe's example objects. */
export function faultsOf(value: unknown, kind: Kind, where: string): string[] {
  if (typeof kind === 'string') return scalar(value, kind, where)
  if (value === null) return kind.nullable ? [] : [`${where} must not be null`]
  if (kind.type) return faultsOf(value, kind.type, where)
  if (kind.anyOf) return anyOf(value, kind.anyOf, where)
  if (kind.is !== undefined) return value === kind.is ? [] : [`${where} must be ${kind.is}`]
  if (kind.enum) return kind.enum.includes(value as string) ? [] : [`${where} cannot be ${JSON.stringify(value)}`]
  if (kind.array) return many(value, kind.array, where)
  if (kind.list) return list(value, kind.list, where)
  if (!isObject(value)) return [`${where} must be an object`]
  if (kind.map) return Object.entries(value).flatMap(([key, one]) => faultsOf(one, kind.map!, `${where}.${key}`))
  if (kind.object) return object(value, kind.object, where)
  return fields(value, kind as Fields, where)
}

interface Fields {
  fields: Record<string, Kind>
  required?: string[]
}

function scalar(value: unknown, kind: string, where: string): string[] {
  if (kind === 'any') return []
  const fits = kind === 'decimal' ? typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) : typeof value === kind
  return fits ? [] : [`${where} must be a ${kind}, not ${JSON.stringify(value)}`]
}

function anyOf(value: unknown, kinds: Kind[], where: string): string[] {
  const [name, gone] = [typeOf(value), isObject(value) && value.deleted === true]
  // What says what it is must fit that; one that was deleted says so.
  const own = kinds.find(
    (kind) => typeof kind === 'object' && kind.object !== undefined && kind.object === (gone ? `Deleted${name}` : name),
  )
  if (own) return faultsOf(value, own, where)
  const tried = kinds.map((kind) => faultsOf(value, kind, where))
  return tried.find((faults) => faults.length === 0) ?? tried[0]!
}

const many = (value: unknown, kind: Kind, where: string) =>
  Array.isArray(value)
    ? value.flatMap((one, at) => faultsOf(one, kind, `${where}[${at}]`))
    : [`${where} must be an array`]

function list(value: unknown, kind: Kind, where: string): string[] {
  const shape = { object: { is: 'list' }, data: { array: kind }, has_more: 'boolean', url: 'string' } as Record<
    string,
    Kind
  >
  return isObject(value)
    ? fields(value, { fields: shape, required: Object.keys(shape) }, where)
    : [`${where} must be a list`]
}

function fields(value: Answer, { fields, required = [] }: Fields, where: string): string[] {
  const missing = required.filter((name) => value[name] === undefined).map((name) => `${where}.${name} is missing`)
  const wrong = Object.entries(value).flatMap(([name, one]) =>
    Object.hasOwn(fields, name) ? faultsOf(one, fields[name]!, `${where}.${name}`) : [`${where}.${name} is unknown`],
  )
  return [...missing, ...wrong]
}

function object(value: Answer, name: string, where: string): string[] {
  const type = stripeTypes.objects[name]
  if (!type) return [`${where} is ${name}, which the local Stripe does not know`]
  return [...fields(value, type, where), ...unlikeExample(value, name, where)]
}

/** Fields of the published example that the pinned version has no more. */
export const goneFields = (name: string): string[] =>
  Object.keys(examples[exampleOf(name) ?? ''] ?? {}).filter(
    (field) => !Object.hasOwn(stripeTypes.objects[name]!.fields, field),
  )

/** Fields that the examples show and that are not there unless there is a reason; their types say so too. */
export const NOT_ALWAYS: readonly string[] = [
  'Charge.refunds', // only when it is expanded, since 2022-11-15
  'PaymentIntent.transfer_data', // only of payments for connected accounts
]

const exampleOf = (name: string) => Object.keys(TYPE_OF).find((object) => TYPE_OF[object] === name)

function unlikeExample(value: Answer, name: string, where: string): string[] {
  const example = examples[exampleOf(name) ?? '']
  if (!example) return []
  const gone = goneFields(name)
  return Object.entries(example).flatMap(([field, shown]) => {
    if (gone.includes(field)) return []
    if (value[field] === undefined && NOT_ALWAYS.includes(`${name}.${field}`)) return []
    if (value[field] === undefined) return [`${where}.${field} is missing, which Stripe's example has`]
    const differ = shown !== null && value[field] !== null && jsonKind(shown) !== jsonKind(value[field])
    // What the example shows by its id may have been expanded.
    return differ && !(jsonKind(shown) === 'string' && isObject(value[field]))
      ? [`${where}.${field} is another kind than in Stripe's example`]
      : []
  })
}

const jsonKind = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value)
