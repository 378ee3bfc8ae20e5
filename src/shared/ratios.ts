/**
 * Money as the database added it up, in cents: exact up to amounts that no account reaches, where a double would lose
 * cents from 70 trillion on.
 */
export function centsOf(amount: string): bigint {
  const [whole, fraction = ''] = amount.split('.') as [string, string?]
  return BigInt(whole + fraction.padEnd(2, '0').slice(0, 2))
}

/** Cents, of which there are none below zero, as the number of an answer. */
export function amountOf(cents: bigint): number {
  return Number(`${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`)
}

/** A share in percent with two decimals, half away from zero; null of nothing. */
export function percentOf(part: number, whole: number): number | null {
  return whole === 0 ? null : quotient(BigInt(part) * 10_000n, BigInt(whole))
}

/** Hundredths for each of so many, with two decimals, half away from zero; null of none. */
export function averageOf(hundredths: bigint, count: number): number | null {
  return count === 0 ? null : quotient(hundredths, BigInt(count))
}

/** A quotient of hundredths as a number with two decimals. */
function quotient(hundredths: bigint, by: bigint): number {
  if (hundredths < 0n) return 0 - quotient(-hundredths, by)
  return amountOf((2n * hundredths + by) / (2n * by))
}
