import { defineNeed, type Scope } from '../database/index.js'

/**
 * A leaf of an answer that is kept with the transaction which it tells of, and whose value is known only after its commit.
 * Written as JSON it says where to look.
 */
export class Later {
  constructor(
    /** The id of what is awaited. */
    readonly id: string,
    /** Its field. */
    readonly field: string,
  ) {}

  toJSON(): object {
    return { $later: [this.id, this.field] }
  }
}

/** Waits for what answers have promised, and returns it by its id; never fails on account of what became of it. */
export const promised =
  defineNeed<(db: Scope, ids: readonly string[]) => Promise<ReadonlyMap<string, object>>>('promised')

const promiseIn = (value: unknown): [id: string, field: string] | undefined =>
  typeof value === 'object' && value !== null && '$later' in value ? (value.$later as [string, string]) : undefined

/** A kept answer, as JSON, with what it promises filled in. Only for one that is known to promise something. */
export async function fulfil(db: Scope, body: string): Promise<string> {
  const ids = new Set<string>()
  const parsed = JSON.parse(body, (_, value: unknown) => {
    const promise = promiseIn(value)
    if (promise) ids.add(promise[0])
    return value
  }) as unknown
  const found = await db.get(promised)(db, [...ids])
  return JSON.stringify(parsed, (_, value: unknown) => {
    const promise = promiseIn(value)
    return promise ? ((found.get(promise[0]) as Record<string, unknown> | undefined)?.[promise[1]] ?? null) : value
  })
}
