/**
 * The smallest amount that a card is charged, by currency, in the currency's smallest unit: Stripe's table of minimum
 * charges (docs.stripe.com/currencies). Of a currency that is not in it Stripe asks for what its account's own currency
 * demands after conversion, which nobody can tell beforehand; no agency has one of those.
 */
const SMALLEST: Readonly<Record<string, number>> = {
  AED: 200,
  AUD: 50,
  BGN: 100,
  BRL: 50,
  CAD: 50,
  CHF: 50,
  CZK: 1500,
  DKK: 250,
  EUR: 50,
  GBP: 30,
  HKD: 400,
  HUF: 17_500,
  INR: 50,
  JPY: 50, // has no smaller unit: 50 yen
  MXN: 1000,
  MYR: 200,
  NOK: 300,
  NZD: 50,
  PLN: 200,
  RON: 200,
  SEK: 300,
  SGD: 50,
  THB: 1000,
  USD: 50,
}

/** The currencies in which agencies can be charged. */
export const CHARGEABLE: readonly string[] = Object.keys(SMALLEST)

/** The smallest charge of a currency, in its smallest unit. */
export function smallestCharge(currency: string): number {
  const smallest = SMALLEST[currency]
  if (smallest === undefined) throw new Error(`nobody can be charged in ${currency}`)
  return smallest
}
