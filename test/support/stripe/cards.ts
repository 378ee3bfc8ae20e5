import type { CardFate } from './records.js'

interface TestCard {
  brand: string
  last4: string
  fate: CardFate | 'refused'
}

/** Stripe's test cards (docs.stripe.com/testing), with what comes of charging them; `refused` ones are never on file. */
const CARDS: Readonly<Record<string, TestCard>> = {
  pm_card_visa: { brand: 'visa', last4: '4242', fate: 'pays' },
  pm_card_mastercard: { brand: 'mastercard', last4: '4444', fate: 'pays' },
  pm_card_amex: { brand: 'amex', last4: '0005', fate: 'pays' },
  pm_card_chargeCustomerFail: { brand: 'visa', last4: '0341', fate: 'declines' },
  pm_card_authenticationRequired: { brand: 'visa', last4: '3184', fate: 'authenticates' },
  pm_card_chargeDeclined: { brand: 'visa', last4: '0002', fate: 'refused' },
  pm_card_visa_chargeDeclined: { brand: 'visa', last4: '0002', fate: 'refused' },
}

/** The test card of a name, if there is one. */
export const testCard = (name: string): TestCard | undefined => (Object.hasOwn(CARDS, name) ? CARDS[name] : undefined)
