/** Where an input is wrong, as a path of GraphQL argument and field names; the REST layer turns it into the documented name. */
export interface Fault {
  path: readonly (string | number)[]
  message: string
  /** Further members of the detail, such as `existingId`. */
  extra?: Record<string, unknown>
  /** Set where the path is spelled as the REST layer documents it, or as the caller sent it, already. */
  documented?: boolean
  /** Set where the fault is that something mandatory is not there, null or empty. */
  missing?: boolean
}

/** A wrong field by its name, with what is wrong with it. */
export interface NamedFault {
  field: string
  message: string
}

/** How many faults or warnings an answer lists; of the others it tells the number. */
export const MAX_LISTED = 100

const MAX_NAMES = 10
const MAX_NAME_LENGTH = 60

const isIndex = (name: string | number) => /^\d+$/.test(String(name))

// JSON writes each of these as six characters.
const CONTROLS = /[\0-\x1f\x7f]/g

/** A name that a caller chose, cut where it is too long to be told back, without what is not to be seen. */
export function told(name: string): string {
  const short = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name
  return short.toWellFormed().replace(CONTROLS, '\ufffd')
}

/** A fault by the names on its path; of a list's item it says which. */
export function namedFault(path: Fault['path'], message: string): NamedFault {
  const [first, ...rest] = path
  const item = rest.find(isIndex)
  const field = told([first, ...rest.filter((name) => !isIndex(name))].join('.'))
  return { field, message: item === undefined ? message : `item ${Number(item) + 1} ${message}` }
}

/** A sentence about wrong fields: of one its own text, of several their names. `omitted` are so many faults more. */
export function sentenceOn(faults: readonly NamedFault[], omitted = 0): string {
  const [first] = faults
  if (first && faults.length + omitted === 1) return `${first.field} ${first.message}.`
  const names = [...new Set(faults.map(({ field }) => field))]
  const others = Math.max(names.length - MAX_NAMES, 0) + omitted
  const listed = names.slice(0, MAX_NAMES).join(', ')
  return `Invalid input: ${listed}${others > 0 ? ` and ${others} more` : ''}.`
}
