import type { Once } from './forms/page.js'
import type { Shape } from './shape.js'

type Row = Record<string, unknown>

/** Gives each row of a page the labels and the children that the page has once for all of them. */
export function spreadShared(
  rows: readonly object[],
  found: NonNullable<Once['shared']>,
  { shared, spread }: Shape,
): void {
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
