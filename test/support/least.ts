/**
 * Measures up to three times until the figure is below a limit, and returns the least: what else happens in the process or
 * in the database at the same moment, such as a collection of garbage, only ever adds to it.
 */
export async function leastOf<T>(limit: number, figure: (found: T) => number, measure: () => Promise<T>): Promise<T> {
  let least = await measure()
  for (let again = 0; again < 2 && figure(least) >= limit; again++) {
    const found = await measure()
    if (figure(found) < figure(least)) least = found
  }
  return least
}
