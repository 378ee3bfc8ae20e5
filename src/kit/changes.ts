import type { EntityManager } from '@mikro-orm/postgresql'
import { defineFact, type Scope } from '../database/index.js'

/**
 * Something that an account wants to know the author of was done to a record: `record` is its kind, such as `pipeline`,
 * `change` what was done, such as `updated`, and `fields` the names of the fields that changed, with commas in between.
 * No value is told, so none can be found later where nobody would look for it.
 */
export const recordChanged = defineFact<{ recordId: string; record: string; change: string; fields: string | null }>(
  'recordChanged',
  'recordId',
)

/** Tells that something was done to a record: in the open transaction, to whoever keeps a book of such. */
export function tellChange(
  db: Scope,
  record: string,
  recordId: string,
  change: string,
  fields: readonly string[] = [],
): Promise<void> {
  return db.announce(recordChanged, { recordId, record, change, fields: fields.join() || null })
}

/** Tells which fields of an entity the unit of work is about to change; where that is none, nothing is told. */
export async function tellUpdate(
  db: Scope,
  em: EntityManager,
  record: string,
  entity: { id: string },
  more: readonly string[] = [],
): Promise<void> {
  const fields = [...pendingFields(em, entity), ...more]
  if (fields.length > 0) await tellChange(db, record, entity.id, 'updated', fields)
}

function pendingFields(em: EntityManager, entity: object): string[] {
  const work = em.getUnitOfWork()
  work.computeChangeSets()
  const found = work.getChangeSets().find((one) => one.entity === entity)
  return Object.keys(found?.payload ?? {}).filter((name) => name !== 'updatedAt')
}
