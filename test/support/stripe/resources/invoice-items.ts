import { addItem, estimate, notEditable } from '../engine/invoices.js'
import { invalid, notBuilt, refused } from '../errors.js'
import { missingParam, type Params } from '../params.js'
import type { InvoiceItemRecord } from '../records.js'
import type { World } from '../world.js'
import { namedCustomer } from './customers.js'
import { found, type Handlers, mergeMetadata, named, textOf } from './handler.js'
import { LIST, page } from './lists.js'
import { makePrice } from './prices.js'

const itemOf = (world: World, path: Record<string, string>) => found(world.invoiceItems, path.id!, 'invoiceitem')

/** What an item costs: an amount of its own, or a price or an amount for each of a quantity. */
function costOf(world: World, params: Params): Pick<InvoiceItemRecord, 'amount' | 'quantity' | 'currency' | 'price'> {
  const {
    amount,
    currency,
    pricing,
    quantity = 1,
  } = params as { amount?: number; currency?: string; pricing?: { price?: string }; quantity?: number }
  const unit = params.unit_amount_decimal as string | undefined
  const data = params.price_data
  const ways = [amount, pricing?.price, unit, data].filter((way) => way !== undefined).length
  if (ways === 0) throw missingParam('amount')
  if (ways > 1)
    throw refused('You may only specify one of these parameters: amount, price_data, pricing, unit_amount_decimal.')
  if (amount !== undefined) {
    if (params.quantity !== undefined) throw notBuilt('amount together with quantity')
    if (currency === undefined) throw missingParam('currency')
    return { amount, quantity: 1, currency: currency.toLowerCase(), price: null }
  }
  if (unit !== undefined) {
    if (currency === undefined) throw missingParam('currency')
    if (!/^-?\d+(\.0+)?$/.test(unit)) throw notBuilt('amounts below the smallest unit')
    return { amount: Number(unit) * quantity, quantity, currency: currency.toLowerCase(), price: null }
  }
  const price = data
    ? makePrice(world, data as Parameters<typeof makePrice>[1], 'price_data')
    : named(world.prices, pricing!.price, 'price', 'pricing[price]')
  if (price.recurring)
    throw invalid(
      'The price specified is set to `type=recurring` but this field only accepts prices with `type=one_time`.',
      'pricing[price]',
    )
  return { amount: price.unitAmount * quantity, quantity, currency: price.currency, price: price.id }
}

const COST = ['amount', 'currency', 'pricing', 'price_data', 'quantity', 'unit_amount_decimal']

export const invoiceItems: Handlers = {
  'InvoiceItems.create': {
    takes: [...COST, 'customer', 'invoice', 'description', 'period', 'metadata', 'subscription', 'discountable'],
    run({ world, params }) {
      const customer = namedCustomer(world, params.customer)
      const invoice =
        params.invoice === undefined ? undefined : named(world.invoices, params.invoice, 'invoice', 'invoice')
      if (invoice && invoice.customer !== customer.id)
        throw refused('The invoice does not belong to this customer.', undefined, 'invoice')
      const subscription = params.subscription as string | undefined
      if (subscription !== undefined) {
        const known = named(world.subscriptions, subscription, 'subscription', 'subscription')
        if (known.customer !== customer.id)
          throw refused('The subscription does not belong to this customer.', undefined, 'subscription')
      }
      const now = world.now
      const item: InvoiceItemRecord = {
        id: world.id('ii'),
        created: now,
        customer: customer.id,
        invoice: null,
        ...costOf(world, params),
        description: textOf(params.description, null),
        subscription: subscription ?? null,
        period: (params.period as InvoiceItemRecord['period'] | undefined) ?? { start: now, end: now },
        metadata: mergeMetadata({}, params.metadata),
      }
      if (item.period.end < item.period.start)
        throw invalid('`period[end]` must not be before `period[start]`.', 'period[end]')
      if (invoice) addItem(world, invoice, item)
      world.invoiceItems.set(item.id, item)
      world.emit('invoiceitem.created', item.id)
      return world.answerOf(item.id)!
    },
  },
  'InvoiceItems.retrieve': { run: ({ world, path }) => world.answerOf(itemOf(world, path).id)! },
  'InvoiceItems.update': {
    takes: ['amount', 'description', 'metadata'],
    run({ world, path, params }) {
      const item = itemOf(world, path)
      const invoice = world.invoices.get(item.invoice ?? '')
      if (invoice && invoice.status !== 'draft') throw notEditable()
      item.description = textOf(params.description, item.description)
      item.metadata = mergeMetadata(item.metadata, params.metadata)
      item.amount = (params.amount as number | undefined) ?? item.amount
      const line = invoice?.lines.find((one) => one.item === item.id)
      if (invoice && line) {
        Object.assign(line, { amount: item.amount, description: item.description, metadata: item.metadata })
        estimate(world, invoice)
      }
      return world.answerOf(item.id)!
    },
  },
  'InvoiceItems.list': {
    takes: [...LIST, 'created', 'customer', 'invoice', 'pending'],
    run: ({ world, params }) =>
      page(world, world.invoiceItems.values(), params, '/v1/invoiceitems', (item) => {
        const { customer, invoice, pending } = params
        return (
          (customer === undefined || customer === item.customer) &&
          (invoice === undefined || invoice === item.invoice) &&
          (pending === undefined || pending === (item.invoice === null))
        )
      }),
  },
  'InvoiceItems.del': {
    run({ world, path }) {
      const item = itemOf(world, path)
      const invoice = world.invoices.get(item.invoice ?? '')
      if (invoice && invoice.status !== 'draft') throw notEditable()
      const gone = world.answerOf(item.id)!
      world.invoiceItems.delete(item.id)
      if (invoice) {
        invoice.lines = invoice.lines.filter((line) => line.item !== item.id)
        estimate(world, invoice)
      }
      world.emitObject('invoiceitem.deleted', gone)
      return { id: item.id, object: 'invoiceitem', deleted: true }
    },
  },
}
