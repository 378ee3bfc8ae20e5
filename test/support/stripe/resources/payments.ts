import { refused } from '../errors.js'
import { missingParam } from '../params.js'
import type { ChargeRecord, RefundRecord } from '../records.js'
import type { World } from '../world.js'
import { found, type Handlers, mergeMetadata, named } from './handler.js'
import { LIST, laggingSearch, page } from './lists.js'

/** The charge of which something is given back: named itself, or the one that its payment succeeded with. */
function chargeToRefund(world: World, params: Record<string, unknown>): ChargeRecord {
  const { charge, payment_intent: intent } = params
  if (charge !== undefined) return named(world.charges, charge, 'charge', 'charge')
  if (intent === undefined) throw missingParam('charge')
  const { latestCharge, status } = named(world.intents, intent, 'payment_intent', 'payment_intent')
  if (status !== 'succeeded') {
    throw refused(
      `This PaymentIntent (${intent}) does not have a successful charge to refund.`,
      undefined,
      'payment_intent',
    )
  }
  return world.charges.get(latestCharge!)!
}

export const payments: Handlers = {
  'InvoicePayments.retrieve': {
    run: ({ world, path }) =>
      world.answerOf(found(world.invoicePayments, path.invoice_payment ?? path.id!, 'invoice_payment').id)!,
  },
  'InvoicePayments.list': {
    takes: [...LIST, 'created', 'invoice', 'payment', 'status'],
    run: ({ world, params }) =>
      page(world, world.invoicePayments.values(), params, '/v1/invoice_payments', (payment) => {
        const { invoice, status } = params
        const intent = (params.payment as { payment_intent?: string } | undefined)?.payment_intent
        return (
          (invoice === undefined || invoice === payment.invoice) &&
          (status === undefined || status === payment.status) &&
          (intent === undefined || intent === payment.intent)
        )
      }),
  },
  'PaymentIntents.retrieve': {
    run: ({ world, path }) => world.answerOf(found(world.intents, path.id!, 'payment_intent').id)!,
  },
  'PaymentIntents.list': {
    takes: [...LIST, 'created', 'customer'],
    run: ({ world, params }) =>
      page(world, world.intents.values(), params, '/v1/payment_intents', ({ customer }) => {
        return params.customer === undefined || params.customer === customer
      }),
  },
  'PaymentIntents.search': {
    takes: ['query', 'limit', 'page'],
    run: () => laggingSearch('/v1/payment_intents/search'),
  },
  'Charges.retrieve': { run: ({ world, path }) => world.answerOf(found(world.charges, path.id!, 'charge').id)! },
  'Charges.list': {
    takes: [...LIST, 'created', 'customer', 'payment_intent'],
    run: ({ world, params }) =>
      page(world, world.charges.values(), params, '/v1/charges', (charge) => {
        const { customer, payment_intent: intent } = params
        return (
          (customer === undefined || customer === charge.customer) && (intent === undefined || intent === charge.intent)
        )
      }),
  },
  'Charges.search': { takes: ['query', 'limit', 'page'], run: () => laggingSearch('/v1/charges/search') },
  'Refunds.create': {
    takes: ['charge', 'payment_intent', 'amount', 'reason', 'metadata'],
    run({ world, params }) {
      const charge = chargeToRefund(world, params)
      if (charge.status !== 'succeeded')
        throw refused(`Charge ${charge.id} was not successful, so that nothing can be refunded.`)
      const left = charge.amount - charge.refunded
      if (left === 0) throw refused(`Charge ${charge.id} has already been refunded.`, 'charge_already_refunded')
      const amount = (params.amount as number | undefined) ?? left
      if (amount <= 0) throw refused('Invalid positive integer', 'parameter_invalid_integer', 'amount')
      if (amount > left) {
        throw refused(
          `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`,
          'amount_too_large',
          'amount',
        )
      }
      const refund: RefundRecord = {
        id: world.id('re'),
        created: world.now,
        charge: charge.id,
        intent: charge.intent,
        amount,
        currency: charge.currency,
        reason: (params.reason as string | undefined) ?? null,
        metadata: mergeMetadata({}, params.metadata),
      }
      const before = world.answerOf(charge.id)
      world.refunds.set(refund.id, refund)
      charge.refunded += amount
      world.emit('refund.created', refund.id)
      world.emit('charge.refunded', charge.id, before)
      return world.answerOf(refund.id)!
    },
  },
  'Refunds.retrieve': { run: ({ world, path }) => world.answerOf(found(world.refunds, path.id!, 'refund').id)! },
  'Refunds.update': {
    takes: ['metadata'],
    run({ world, path, params }) {
      const refund = found(world.refunds, path.id!, 'refund')
      refund.metadata = mergeMetadata(refund.metadata, params.metadata)
      return world.answerOf(refund.id)!
    },
  },
  'Refunds.list': {
    takes: [...LIST, 'created', 'charge', 'payment_intent'],
    run: ({ world, params }) =>
      page(world, world.refunds.values(), params, '/v1/refunds', (refund) => {
        const { charge, payment_intent: intent } = params
        return (charge === undefined || charge === refund.charge) && (intent === undefined || intent === refund.intent)
      }),
  },
}
