import { type RawBuilder, sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { isUuid, NIL_ID, newId } from '../../shared/ids.js'

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

/** What belongs to no account: the operators read of it, whatever account somebody is at work on who does something to it. */
const OUTSIDE: ReadonlySet<string> = new Set(['agency', 'agency_token', 'operator'])

const into = (account: RawBuilder<unknown>, options: { ofService?: boolean } = {}) =>
  new Statement<never>(
    sql<never>`insert into audit_entry (id, account_id, action, subject_kind, subject_id, fields, actor_kind, actor_id,
      actor_name, user_id, address, tool)
    values (${param('id')}, ${account}, ${param('action')}, ${param('subjectKind')}, ${param('subjectId')},
      ${param('fields')}::text[], ${param('actorKind')}, ${param('actorId')}, ${param('actorName')}, ${param('userId')},
      ${param('address')}, ${param('tool')})
    on conflict (id) do nothing`,
    { prepared: true, ...options },
  )

const insert = into(sql`${param('account')}`)
const insertOutside = into(sql`${sql.lit(NIL_ID)}::uuid`, { ofService: true })

/** Writes down what the scope's viewer does, in the open transaction and without a wait: should it fail, so does that. */
export function record(db: Scope, { id: deedId, action, subjectKind, subjectId = null, fields = [] }: Deed): void {
  const { kind, id, name, userId = null } = db.viewer.actor
  db.send(OUTSIDE.has(subjectKind) ? insertOutside : insert, {
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
    tool: db.tool ?? null,
  })
}
