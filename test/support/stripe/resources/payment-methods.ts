import { testCard } from '../cards.js'
import { noSuch, refused, StripeFailure } from '../errors.js'
import type { PaymentMethodRecord } from '../records.js'
import type { World } from '../world.js'
import { namedCustomer } from './customers.js'
import { type Handlers, mergeMetadata } from './handler.js'
import { LIST, page } from './lists.js'

/** A payment method that is on file, or was. */
function methodOf(world: World, id: string): PaymentMethodRecord {
  const method = world.paymentMethods.get(id)
  if (!method) throw noSuch('PaymentMethod', id, 'payment_method', true)
  return method
}

/** A payment method of a test card's name is a new one each time. */
function fromCard(world: World, name: string): PaymentMethodRecord | undefined {
  const card = testCard(name)
  if (!card) return undefined
  if (card.fate === 'refused') {
    throw new StripeFailure('Your card was declined.', {
      status: 402,
      type: 'card_error',
      code: 'card_declined',
      param: '',
      more: { decline_code: 'generic_decline' },
    })
  }
  const id = world.id('pm')
  return {
    id,
    created: world.now,
    customer: null,
    metadata: {},
    fingerprint: fingerprintOf(card.last4),
    ...card,
    fate: card.fate,
  }
}

const fingerprintOf = (last4: string) => `Fp${last4}xLocalStripe`

const USED =
  'This PaymentMethod was previously used without being attached to a Customer or was detached from a Customer, and may not be used again.'

export const paymentMethods: Handlers = {
  'PaymentMethods.attach': {
    takes: ['customer'],
    run({ world, path, params }) {
      const customer = namedCustomer(world, params.customer)
      const made = fromCard(world, path.id!)
      const method = made ?? methodOf(world, path.id!)
      if (!made && method.customer === null) throw refused(USED)
      if (method.customer !== null && method.customer !== customer.id) {
        throw refused('The payment method you provided has already been attached to a customer.')
      }
      method.customer = customer.id
      world.paymentMethods.set(method.id, method)
      if (made) world.emit('payment_method.attached', method.id)
      return world.answerOf(method.id)!
    },
  },
  'PaymentMethods.detach': {
    run({ world, path }) {
      const method = methodOf(world, path.id!)
      const customer = world.customers.get(method.customer ?? '')
      if (!customer) {
        throw refused('The payment method you provided is not attached to a customer so detachment is impossible.')
      }
      const before = world.answerOf(method.id)
      method.customer = null
      if (customer.defaultPaymentMethod === method.id) customer.defaultPaymentMethod = null
      for (const subscription of world.subscriptions.values()) {
        if (subscription.defaultPaymentMethod === method.id) subscription.defaultPaymentMethod = null
      }
      world.emit('payment_method.detached', method.id, before)
      return world.answerOf(method.id)!
    },
  },
  'PaymentMethods.retrieve': {
    run({ world, path }) {
      const made = fromCard(world, path.id!)
      if (made) world.paymentMethods.set(made.id, made)
      return world.answerOf((made ?? methodOf(world, path.id!)).id)!
    },
  },
  'PaymentMethods.update': {
    takes: ['metadata'],
    run({ world, path, params }) {
      const method = methodOf(world, path.id!)
      method.metadata = mergeMetadata(method.metadata, params.metadata)
      return world.answerOf(method.id)!
    },
  },
  'PaymentMethods.list': {
    takes: [...LIST, 'customer', 'type'],
    run({ world, params }) {
      const { id } = namedCustomer(world, params.customer)
      return page(
        world,
        world.paymentMethods.values(),
        params,
        '/v1/payment_methods',
        (method) => method.customer === id,
      )
    },
  },
}
