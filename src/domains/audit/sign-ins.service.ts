import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { NIL_ID, newId } from '../../shared/ids.js'

// Whoever signs in is of no account yet, so the person tells it: an entry of nobody's, or of an operator's, is no
// account's. Of an email that nobody has, as much is written as of any other, or the time would tell.
const insert = new Statement<never>(
  sql<never>`insert into audit_entry (id, account_id, action, subject_kind, subject_id, actor_kind, actor_id, actor_name,
      user_id, address)
    select ${param('id')}::uuid, coalesce(i.account_id, ${sql.lit(NIL_ID)}::uuid), ${param('action')}::text,
      case when i.operator_id is null then 'user' else 'operator' end, i.id, ${param('actorKind')}::text,
      ${param('session')}::uuid, coalesce(${param('actorName')}::text, u.name, o.name, ''),
      case when ${param('actorName')}::text is null then i.id end, ${param('address')}::text
    from (select ${param('person')}::uuid as id) one left join sign_in i on i.id = one.id
      left join app_user u on u.id = i.user_id left join operator o on o.id = i.operator_id`,
  { ofService: true },
)

interface By {
  actorKind: string
  session: string | null
  /** The name of who acted, where that was not the person. */
  actorName: string | null
}

function write(db: Scope, action: string, person: string, by: By): void {
  db.send(insert, { id: newId(), action, person, ...by, address: db.address ?? null })
}

/** Writes down that a person signed in. */
export function recordSignIn(db: Scope, { signInId, sessionId }: { signInId: string; sessionId: string }): void {
  write(db, 'signed_in', signInId, { actorKind: 'session', session: sessionId, actorName: null })
}

/** Writes down that somebody, who need not be that person, gave a wrong password. */
export function recordFailure(db: Scope, { signInId }: { signInId: string }): void {
  write(db, 'sign_in_failed', signInId, { actorKind: 'unknown', session: null, actorName: 'unknown' })
}

/** What writes down what was done to a person's password or sessions, by whoever acts. */
export function recordOfPerson(action: string) {
  return (db: Scope, { signInId }: { signInId: string }): void => {
    const { kind, id, name } = db.viewer.actor
    const session = kind === 'session' ? id : null
    write(db, action, signInId, { actorKind: kind, session, actorName: session ? null : name })
  }
}
