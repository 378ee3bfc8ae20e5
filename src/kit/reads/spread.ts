import type { Shape } from './shape.js'

type Row = Record<string, unknown>

/** Gives each row of a page what the page has once: of the first row's `shared`, the labels and the children of each. */
export function spreadShared(rows: readonly object[], { shared, spread }: Shape): void {
  const found = (rows[0] as Row | undefined)?.shared as Row | undefined
  if (!found) return
  for (const { reference, fields } of shared) {
    const records = (found[reference.name] ?? {}) as Record<string, unknown[] | undefined>
    for (const row of rows as Row[]) {
      const id = row[reference.by] as string | null
      const record = id ? records[id] : undefined
      fields.forEach((field, place) => {
        row[field] = record ? record[place] : null
      })
    }
  }
  for (const [name] of spread) spreadChildren(rows as Row[], name, found[name] as { id: string }[])
}

/** Gives each row the children whose ids it came with, in the order of the page's list. */
function spreadChildren(rows: readonly Row[], name: string, children: readonly { id: string }[]): void {
  const places = new Map(children.map(({ id }, place) => [id, place]))
  for (const row of rows) {
    const ids = row[name] as string | null
    const mine = ids ? ids.split(',').map((id) => places.get(id)!) : []
    row[name] = mine.sort((a, b) => a - b).map((place) => children[place]!)
  }
}
