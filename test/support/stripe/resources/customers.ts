import { bookOnBalance } from '../engine/balance.js'
import { cancelSubscription } from '../engine/subscriptions.js'
import { invalid, noSuch, StripeFailure } from '../errors.js'
import { missingParam } from '../params.js'
import type { CustomerRecord } from '../records.js'
import type { World } from '../world.js'
import { type Handlers, mergeMetadata, textOf } from './handler.js'
import { LIST, laggingSearch, page } from './lists.js'

const TEXTS = ['name', 'email', 'description', 'phone'] as const
const CHANGEABLE = [...TEXTS, 'metadata', 'balance', 'invoice_settings']

/** The customer in an address; one that was deleted is there only to be retrieved. */
export function customerOf(world: World, id: string): CustomerRecord {
  const customer = world.customers.get(id)
  if (!customer || customer.deleted) throw noSuch('customer', id)
  return customer
}

/** The customer that a parameter names. */
export function namedCustomer(world: World, id: unknown): CustomerRecord {
  if (id === undefined) throw missingParam('customer')
  const customer = world.customers.get(id as string)
  if (!customer || customer.deleted) throw noSuch('customer', String(id), 'customer')
  return customer
}

function change(world: World, customer: CustomerRecord, params: Record<string, unknown>): void {
  const settings = (params.invoice_settings ?? {}) as Record<string, unknown>
  const other = Object.keys(settings).find((name) => name !== 'default_payment_method')
  if (other) throw invalid(`The local Stripe does not know invoice_settings[${other}]`, `invoice_settings[${other}]`)
  const method = settings.default_payment_method
  if (method !== undefined) mustHave(world, customer, method, 'invoice_settings[default_payment_method]')
  for (const name of TEXTS) customer[name] = textOf(params[name], customer[name])
  customer.metadata = mergeMetadata(customer.metadata, params.metadata)
  if (params.balance !== undefined) adjustBalance(world, customer, (params.balance as number) - customer.balance)
  if (method !== undefined) customer.defaultPaymentMethod = method as string
}

/** Refuses a payment method that is not the customer's. */
export function mustHave(world: World, customer: CustomerRecord, method: unknown, param: string): void {
  if (world.paymentMethods.get(method as string)?.customer === customer.id) return
  const message = `The customer does not have a payment method with the ID ${method}. The payment method must be attached to the customer.`
  throw new StripeFailure(message, { code: 'resource_missing', param })
}

function adjustBalance(
  world: World,
  customer: CustomerRecord,
  amount: number,
  { currency = customer.currency ?? 'brl', description }: { currency?: string; description?: string | null } = {},
): string {
  return bookOnBalance(world, customer, amount, { currency, type: 'adjustment', description: description ?? null })
}

export const customers: Handlers = {
  'Customers.create': {
    takes: CHANGEABLE,
    run({ world, params }) {
      const id = world.id('cus')
      const customer: CustomerRecord = {
        id,
        created: world.now,
        name: null,
        email: null,
        description: null,
        phone: null,
        metadata: {},
        balance: 0,
        currency: null,
        defaultPaymentMethod: null,
        invoicePrefix: id.slice(-8).toUpperCase(),
        nextInvoice: 1,
        delinquent: false,
        deleted: false,
      }
      change(world, customer, params)
      world.customers.set(id, customer)
      world.emit('customer.created', id)
      return world.answerOf(id)!
    },
  },
  'Customers.retrieve': {
    run({ world, path }) {
      const answer = world.answerOf(path.id!)
      if (!answer || !world.customers.has(path.id!)) throw noSuch('customer', path.id!)
      return answer
    },
  },
  'Customers.update': {
    takes: CHANGEABLE,
    run({ world, path, params }) {
      const customer = customerOf(world, path.id!)
      const before = world.answerOf(customer.id)
      change(world, customer, params)
      world.emit('customer.updated', customer.id, before)
      return world.answerOf(customer.id)!
    },
  },
  'Customers.list': {
    takes: [...LIST, 'created', 'email'],
    run: ({ world, params }) =>
      page(world, world.customers.values(), params, '/v1/customers', (customer) => {
        return !customer.deleted && (params.email === undefined || customer.email === params.email)
      }),
  },
  'Customers.search': { takes: ['query', 'limit', 'page'], run: () => laggingSearch('/v1/customers/search') },
  'Customers.del': {
    run({ world, path }) {
      const customer = customerOf(world, path.id!)
      for (const subscription of world.subscriptions.values()) {
        if (subscription.customer === customer.id && subscription.status !== 'canceled')
          cancelSubscription(world, subscription)
      }
      const gone = world.answerOf(customer.id)!
      customer.deleted = true
      world.emitObject('customer.deleted', gone)
      return world.answerOf(customer.id)!
    },
  },
  'Customers.listBalanceTransactions': {
    takes: [...LIST, 'created', 'invoice'],
    run({ world, path, params }) {
      const { id } = customerOf(world, path.id!)
      return page(world, world.balances.values(), params, `/v1/customers/${id}/balance_transactions`, (entry) => {
        return entry.customer === id && (params.invoice === undefined || entry.invoice === params.invoice)
      })
    },
  },
  'Customers.createBalanceTransaction': {
    takes: ['amount', 'currency', 'description'],
    run({ world, path, params }) {
      const customer = customerOf(world, path.id!)
      const { amount, currency, description } = params as { amount: number; currency: string; description?: string }
      return world.answerOf(adjustBalance(world, customer, amount, { currency: currency.toLowerCase(), description }))!
    },
  },
  'Customers.listPaymentMethods': {
    takes: [...LIST, 'type'],
    run({ world, path, params }) {
      const { id } = customerOf(world, path.id!)
      return page(
        world,
        world.paymentMethods.values(),
        params,
        `/v1/customers/${id}/payment_methods`,
        (method) => method.customer === id,
      )
    },
  },
  'Customers.retrievePaymentMethod': {
    run({ world, path }) {
      const { id } = customerOf(world, path.customerId!)
      const method = world.paymentMethods.get(path.id!)
      if (method?.customer !== id) throw noSuch('PaymentMethod', path.id!, 'payment_method', true)
      return world.answerOf(method.id)!
    },
  },
}
