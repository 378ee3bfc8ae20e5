import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { notFound } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import type { Actor } from '../../shared/viewer.js'
import { sessionSettings } from './settings.service.js'
import { sessionsEnded } from './sign-in.facts.js'
import type { SignInSession } from './sign-in-session.entity.js'

const list = new Statement<SignInSession>(
  sql<SignInSession>`select id, device, address, created_at as "createdAt", last_used_at as "lastUsedAt",
      expires_at as "expiresAt", id = ${param('own')}::uuid as "isCurrent"
    from sign_in_session
    where sign_in_id = ${param('person')}::uuid and expires_at > now()
      and last_used_at > now() - make_interval(hours => ${param('idle')}::int)
    order by last_used_at desc, id desc limit 200`,
  { ofService: true },
)

const end = new Statement<{ id: string }>(
  sql<{ id: string }>`delete from sign_in_session
    where sign_in_id = ${param('person')}::uuid
      and (${param('only')}::uuid is null or id = ${param('only')}::uuid)
      and (${param('but')}::uuid is null or id <> ${param('but')}::uuid)
    returning id`,
  { ofService: true },
)

/** The sessions of a person that are in force, the last used first; 200 of them at most. */
export function listSessions(db: Scope, { id, userId }: Actor): Promise<SignInSession[]> {
  return db.rows(list, { own: id, person: userId, idle: db.get(sessionSettings).idleHours })
}

/** Ends one session of the person; NOT_FOUND when it has none of this id. */
export async function endSession(db: Scope, { userId }: Actor, id: string): Promise<void> {
  if (!isUuid(id) || (await endSessions(db, userId!, { only: id })) === 0) throw notFound('session')
}

/** Ends sessions of a person, all unless said otherwise, and tells how many that were. */
export function endSessions(
  db: Scope,
  person: string,
  { only = null, but = null }: { only?: string | null; but?: string | null } = {},
): Promise<number> {
  return db.transaction(async () => {
    const ended = await db.rows(end, { person, only, but })
    for (const { id } of ended) db.forget(id)
    if (ended.length > 0) await db.announce(sessionsEnded, { signInId: person })
    return ended.length
  })
}
