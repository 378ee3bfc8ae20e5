import type { Decline } from './provider.js'

/** What a charge of a test card comes to. */
export type CardFate = 'paid' | Decline

/** Stripe's test payment methods that can be put on file (docs.stripe.com/testing), with what charging them comes to. */
const ON_FILE: Readonly<Record<string, CardFate>> = {
  pm_card_visa: 'paid',
  pm_card_mastercard: 'paid',
  pm_card_amex: 'paid',
  pm_card_chargeCustomerFail: 'card_declined',
  pm_card_authenticationRequired: 'authentication_required',
}

/** Those that are declined as soon as they are to be put on file. */
const NEVER_ON_FILE = new Set(['pm_card_chargeDeclined', 'pm_card_visa_chargeDeclined'])

/** What charging a payment method comes to; undefined of one that is unknown, or cannot be on file. */
export function fateOf(paymentMethod: string): CardFate | undefined {
  return Object.hasOwn(ON_FILE, paymentMethod) ? ON_FILE[paymentMethod] : undefined
}

/** Whether a payment method is a card that is declined when it is to be put on file. */
export const isNeverOnFile = (paymentMethod: string): boolean => NEVER_ON_FILE.has(paymentMethod)

/**
 * The test card that does what is asked for: one that is declined when it is charged, where the one asked for is declined
 * already when it is put on file.
 */
export function cardToKeep(paymentMethod: string): string {
  return isNeverOnFile(paymentMethod) ? 'pm_card_chargeCustomerFail' : paymentMethod
}
