import type { FactIds, Scope } from '../../database/index.js'
import { record } from './record.service.js'

/** Writes down what was done to a record of which a domain tells so. */
export function recordChange(
  db: Scope,
  told: { recordId: string; record: string; change: string; fields: string | null },
): void {
  const fields = told.fields?.split(',')
  record(db, { action: told.change, subjectKind: told.record, subjectId: told.recordId, fields })
}

/** Writes down that somebody copies the records of a kind. */
export function recordCopy(db: Scope, { copyId, record: subjectKind }: { copyId: string; record: string }): void {
  record(db, { id: copyId, action: 'copied', subjectKind })
}

/** Writes down that an AI assistant has changed something by a tool, whatever else is told of that. */
export function recordCall(db: Scope, { callId, subjectId }: { callId: string; subjectId: string | null }): void {
  record(db, { id: callId, action: 'called', subjectKind: 'tool', subjectId })
}

/** What writes down a deed of which a fact of its own tells, by the id in it that names the record. */
export function recordFact<Ids extends FactIds>(action: string, subjectKind: string, of: keyof Ids & string) {
  return (db: Scope, ids: Ids): void => record(db, { action, subjectKind, subjectId: ids[of] ?? null })
}
