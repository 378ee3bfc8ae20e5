// Settings have no prefix of their own, but who looks for one tries this.
const PREFIX = 'FAIRLEAD_'
// What scripts/start.mjs tells the Node.js that it hands over to.
const OURS = ['FAIRLEAD_NEWER_NODE']
// Of shorter names another program's could differ by as little.
const MIN_LENGTH = 7
const LONG_LENGTH = 10

/** A variable that looks like a setting, and the setting that may be meant. */
export interface Misnamed {
  name: string
  meant?: string
}

/**
 * The variables of an environment that look like settings and are none, so that nothing would come of them: those with
 * the product's name before them, and those that differ from a setting by one slip, of a long name by two; letters of the
 * other case and underscores count as no difference. An environment holds much that is for other programs.
 */
export function misnamed(names: readonly string[], settings: readonly string[]): Misnamed[] {
  return names
    .filter((name) => !settings.includes(name) && !OURS.includes(name))
    .flatMap((name) => {
      const prefixed = name.toUpperCase().startsWith(PREFIX)
      const bare = prefixed ? name.slice(PREFIX.length) : name
      const meant = settings.find((setting) => isSlipOf(bare, setting)) ?? settings.find((s) => prefixed && s === bare)
      return prefixed || meant ? [{ name, meant }] : []
    })
}

function isSlipOf(name: string, setting: string): boolean {
  const [a, b] = [plain(name), plain(setting)]
  if (b.length < MIN_LENGTH) return false
  return distance(a, b) <= (b.length < LONG_LENGTH ? 1 : 2)
}

const plain = (name: string) => name.toUpperCase().replaceAll('_', '')

/** How many letters must be put in, left out, changed or swapped with the next to make one word of the other. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const cost = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + (same ? 0 : 1))
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(swapped ? Math.min(cost, rows[i - 2]![j - 2]! + 1) : cost)
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
