import type { EntityClass, EntityManager, FilterQuery } from '@mikro-orm/postgresql'
import type { RowLock, Scope } from '../database/index.js'
import { notFound } from '../shared/errors.js'
import { isUuid } from '../shared/ids.js'

/** What is held, and where. */
interface Holding<Entity> {
  entity: EntityClass<Entity>
  lock: RowLock
  /** What it is called in messages. */
  what: string
  /** What else must hold of one that is still there. */
  live?: Readonly<Record<string, unknown>>
}

/** Locks a record of the account until the transaction ends, and reads it then; NOT_FOUND where there is none. */
export type Hold<Entity> = (em: EntityManager, db: Scope, id: string) => Promise<Entity>

/** How records of one kind are held, so that parallel changes of one come one after the other. */
export function holderOf<Entity extends object>({ entity, lock, what, live = {} }: Holding<Entity>): Hold<Entity> {
  return async (em, db, id) => {
    if (!isUuid(id)) throw notFound(what)
    lock.toChange(db, id)
    const where: unknown = { ...live, id, accountId: db.accountId }
    const found = await em.findOne(entity, where as FilterQuery<NoInfer<Entity>>)
    if (!found) throw notFound(what)
    return found as Entity
  }
}
