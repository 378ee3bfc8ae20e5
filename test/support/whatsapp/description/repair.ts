/** One place in Meta's description that has to be otherwise; `without` takes a value out of a list. */
export type Change = { set: string; value: unknown } | { remove: string } | { without: string; value: unknown }

/** What is wrong at one matter in Meta's description, why it is, and what makes it right. */
export interface Repair {
  name: string
  why: string
  changes: Change[]
}

type Node = Record<string, unknown>

/** A description with repairs made to it; places are JSON pointers (RFC 6901), and what is given stays as it was. */
export function repaired(description: object, repairs: readonly Repair[]): object {
  const copy = structuredClone(description) as Node
  for (const change of repairs.flatMap(({ changes }) => changes)) apply(copy, change)
  return copy
}

function apply(root: Node, change: Change): void {
  const place = 'set' in change ? change.set : 'remove' in change ? change.remove : change.without
  const steps = place
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = steps.pop()!
  const parent = steps.reduce<Node | undefined>((node, step) => node?.[step] as Node | undefined, root)
  // One repair that is taken away for a test must not have others fail to be made.
  if (!parent) return
  if ('remove' in change) delete parent[last]
  else if ('without' in change) parent[last] = (parent[last] as unknown[]).filter((one) => one !== change.value)
  else if (Array.isArray(parent) && last === '-') parent.push(change.value)
  else parent[last] = structuredClone(change.value)
}
