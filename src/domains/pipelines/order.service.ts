import { type Fault, invalid } from '../../shared/errors.js'

/**
 * The given ids, if they are those of all `present` records, each once; else VALIDATION_ERROR that says below `path`
 * which is wrong.
 */
export function wholeOrder(
  given: readonly string[],
  present: ReadonlySet<string>,
  path: string,
  what: string,
): string[] {
  const ids = given.map((id) => id.toLowerCase())
  const faults: Fault[] = ids.flatMap((id, i) => {
    if (!present.has(id)) return [{ path: [path, i], message: `is not the id of a ${what}` }]
    return ids.indexOf(id) < i ? [{ path: [path, i], message: 'is there already' }] : []
  })
  if (faults.length === 0 && ids.length < present.size) {
    faults.push({ path: [path], message: `must name every ${what}` })
  }
  if (faults.length > 0) throw invalid(faults)
  return ids
}
