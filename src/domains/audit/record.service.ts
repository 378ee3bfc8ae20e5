import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { isUuid, newId } from '../../shared/ids.js'

/** What is written down, beside who did it. */
export interface Deed {
  /** Where the same deed may be told several times: it is written down once. */
  id?: string
  action: string
  subjectKind: string
  subjectId?: string | null
  /** The names of the fields that changed. */
  fields?: readonly string[]
}

const insert = new Statement<never>(
  sql<never>`insert into audit_entry (id, account_id, action, subject_kind, subject_id, fields, actor_kind, actor_id,
      actor_name, user_id, address)
    values (${param('id')}, ${param('account')}, ${param('action')}, ${param('subjectKind')}, ${param('subjectId')},
      ${param('fields')}::text[], ${param('actorKind')}, ${param('actorId')}, ${param('actorName')}, ${param('userId')},
      ${param('address')})
    on conflict (id) do nothing`,
  { prepared: true },
)

/** Writes down what the scope's viewer does, in the open transaction and without a wait: should it fail, so does that. */
export function record(db: Scope, { id: deedId, action, subjectKind, subjectId = null, fields = [] }: Deed): void {
  const { kind, id, name, userId = null } = db.viewer.actor
  db.send(insert, {
    id: deedId ?? newId(),
    action,
    subjectKind,
    subjectId,
    fields,
    actorKind: kind,
    actorId: isUuid(id) ? id : null,
    actorName: name,
    userId,
    address: db.address ?? null,
  })
}
