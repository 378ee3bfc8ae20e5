import type { Stripe } from 'stripe'
import type { Notice, ReadNotice } from '../notice.js'
import { stripeClass } from './client.js'

/** How old a signature may be, in seconds, so that what somebody overheard is not sent again later. */
const TOLERANCE_SECONDS = 300

/** What Stripe's events are about, by how their types begin. */
const ABOUT: readonly (readonly [type: string, about: Notice['about']])[] = [
  ['invoice.', 'invoice'],
  ['customer.subscription.', 'seats'],
  ['customer.source.', 'card'],
  ['customer.updated', 'card'],
  ['payment_method.', 'card'],
]

/** Reads Stripe's events if they are signed with one of the secrets; several while one takes the place of another. */
export function stripeNotices(secrets: readonly string[]): ReadNotice {
  return (body, signature) => {
    const { webhooks, errors } = stripeClass()
    for (const secret of secrets) {
      try {
        return noticeOf(webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS))
      } catch (error) {
        if (!(error instanceof errors.StripeSignatureVerificationError)) throw error
      }
    }
    return undefined
  }
}

interface Told {
  id?: unknown
  customer?: unknown
}

function noticeOf({ id, type, data }: Stripe.Event): Notice {
  const about = ABOUT.find(([beginning]) => type.startsWith(beginning))?.[1] ?? 'nothing'
  const told = data.object as Told
  // A card that was taken away is nobody's any more; whose it was stands beside it.
  const before = data.previous_attributes as Told | undefined
  const customerId = type === 'customer.updated' ? textOf(told.id) : (idOf(told.customer) ?? idOf(before?.customer))
  return { id, about, customerId, invoiceId: about === 'invoice' ? textOf(told.id) : undefined }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
const idOf = (value: unknown) => textOf(value) ?? textOf((value as Told | null | undefined)?.id)
