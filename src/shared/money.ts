/** The largest amount that is kept, in units of its currency. */
export const MAX_MONEY = 999_999_999_999.99

/** What is wrong with an amount of money, or undefined: it is not negative, not too large, and exact to the cent. */
export function moneyFault(value: number): string | undefined {
  if (!(value >= 0 && value <= MAX_MONEY)) return `must be from 0 to ${MAX_MONEY}`
  return Number(value.toFixed(2)) === value ? undefined : 'must have at most two decimals'
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Whether a text is the ISO 4217 code of a currency, in upper case. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code)
}
