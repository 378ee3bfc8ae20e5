import type { Stripe } from 'stripe'
import type { Decline, Transient, Unsettled } from '../provider.js'
import { stripeClass } from './client.js'

const errors = () => stripeClass().errors
type StripeError = Stripe.errors.StripeError
const isStripeError = (error: unknown): error is StripeError => error instanceof errors().StripeError

/** That an answer of Stripe's says what this adapter does not know, such as a new state. */
export class Unreadable extends Error {}

/** With these the request has not left the machine. */
const NEVER_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']

/** With these Stripe refuses whoever asks, before it looks at what is asked, or at its key. */
const WHO_ASKS = [401, 403]

/** What a call that failed has come to; throws what is no failure of a call to Stripe. */
export function unsettledOf(error: unknown): Unsettled {
  if (error instanceof Unreadable) return ourFault(error.message)
  if (!isStripeError(error)) throw error
  const { statusCode: status, requestId } = error
  if (error instanceof errors().StripeConnectionError && NEVER_SENT.includes(causeOf(error))) {
    return { outcome: 'transient', reason: 'Stripe cannot be reached' }
  }
  // Without a status there was no answer, or not all of it.
  if (status === undefined) return { outcome: 'ambiguous', reason: "Stripe's answer was lost", keyIsSpent: false }
  if (status === 429) return { outcome: 'transient', reason: 'Stripe wants fewer requests' }
  if (status === 409) return { outcome: 'transient', reason: 'Stripe is busy with the same matter' }
  if (status >= 500) return { outcome: 'ambiguous', reason: `Stripe failed (${requestId})`, keyIsSpent: true }
  const reason = `Stripe refused a call (${status} ${error.code ?? error.type}, ${requestId}): ${error.message}`
  return { ...ourFault(reason), keyIsSpent: !WHO_ASKS.includes(status) }
}

/** A failure that people must look at. */
export const ourFault = (reason: string): Transient => ({ outcome: 'transient', reason, ourFault: true })

/** What a call comes to; one that failed comes to what is known of it. */
export async function settled<T>(work: () => Promise<T>): Promise<T | Unsettled> {
  try {
    return await work()
  } catch (error) {
    return unsettledOf(error)
  }
}

/** What looking something up comes to: without an answer nothing is known, and nothing has happened. */
export async function looked<T>(work: () => Promise<T>): Promise<T | Transient> {
  const found = await settled(work)
  return isAmbiguous(found) ? { outcome: 'transient', reason: found.reason } : (found as T | Transient)
}

const isAmbiguous = (found: unknown): found is { outcome: 'ambiguous'; reason: string } =>
  (found as { outcome?: unknown } | null)?.outcome === 'ambiguous'

const NEEDS_OWNER = ['authentication_required', 'invoice_payment_intent_requires_action']

/** Why a card was refused; undefined when the error is another. */
export function declineOf(error: unknown): Decline | undefined {
  if (!(error instanceof errors().StripeCardError) && codeOf(error) !== 'invoice_payment_intent_requires_action')
    return undefined
  const { code = '', decline_code: decline = '' } = error as StripeError
  return NEEDS_OWNER.includes(code) || NEEDS_OWNER.includes(decline) ? 'authentication_required' : 'card_declined'
}

/** The code of an error of Stripe's, such as `resource_missing`. */
export const codeOf = (error: unknown): string | undefined => (isStripeError(error) ? error.code : undefined)

/** The parameter that an error of Stripe's is about. */
export const paramOf = (error: unknown): string | undefined => (isStripeError(error) ? error.param : undefined)

/** Whether Stripe has understood a call and does not carry it out. */
export const isRefusal = (error: unknown): boolean =>
  isStripeError(error) && (error.statusCode === 400 || error.statusCode === 404)

function causeOf({ detail }: StripeError): string {
  const code = typeof detail === 'object' && 'code' in detail ? detail.code : undefined
  return typeof code === 'string' ? code : ''
}
