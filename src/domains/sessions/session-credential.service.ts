import { sql } from 'kysely'
import { param, Statement } from '../../database/index.js'
import { operatorPermissions, type Permission, type Permissions } from '../../kit/permissions.js'
import { AppError, errorKinds } from '../../shared/errors.js'
import { NO_ACCOUNT, type Viewer } from '../../shared/viewer.js'
import type { CredentialKind, FoundCredential } from '../accounts/index.js'
import { permissionsOfRole, UserRole } from '../users/index.js'
import type { SessionSettings } from './settings.service.js'

/** What the tokens of sessions begin with. */
export const SESSION_PREFIX = 'fl_session_'

/** Why a person is not let in. */
export const SIGN_IN_ERRORS = errorKinds({
  INVALID_CREDENTIALS: {
    status: 401,
    meaning: 'The email or the password is wrong.',
    remedy: 'Correct them, or call requestPasswordReset.',
  },
  INVALID_SESSION: {
    status: 401,
    meaning: 'The session is unknown, has ended or was revoked.',
    remedy: 'Call login again.',
  },
  INVALID_LINK: {
    status: 400,
    meaning: 'The link is unknown, was used, has expired, or a newer one has taken its place.',
    remedy: 'Ask for another one: requestPasswordReset, or resendInvitation of whoever invites.',
  },
})

interface Row extends FoundCredential {
  id: string
  personId: string
  accountId: string | null
  name: string
  role: UserRole | null
  isTemporary: boolean
}

const SESSIONS = `select s.id, s.hash, s.sign_in_id as "personId", s.account_id as "accountId",
    coalesce(u.name, o.name) as name, u.role, i.is_temporary as "isTemporary"
  from sign_in_session s
  join sign_in i on i.id = s.sign_in_id
  left join app_user u on u.id = i.user_id and u.is_active and u.deleted_at is null
  left join operator o on o.id = i.operator_id`
const FIND = `${SESSIONS} where s.hash = $1 and s.expires_at > now()
  and s.last_used_at > now() - make_interval(hours => $2) and (u.id is not null or o.id is not null)`

// Whoever changes the user waits, and whoever ends the session; not who writes down that it was used.
const holdUser = new Statement<never>(
  sql<never>`select from app_user where id = ${param('person')} and account_id = ${param('account')} for share`,
)
const holdOperator = new Statement<never>(sql<never>`select from operator where id = ${param('person')} for share`, {
  ofService: true,
})
const holdSession = new Statement<never>(
  sql<never>`select from sign_in_session where id = ${param('id')} for key share`,
  { ofService: true },
)
// After the locks, and not with them: what was waited for is to be seen.
const held = new Statement<Row>(
  sql<Row>`${sql.raw(SESSIONS)} where s.id = ${param('id')}
    and s.expires_at > now() and (u.id is not null or o.id is not null)
    and s.last_used_at > now() - make_interval(hours => ${param('idleHours')}::int)`,
  { ofService: true },
)

const NOTHING: ReadonlySet<Permission> = new Set()

/** Sessions as a kind of credential: they stand for their person, with what its role allows at this moment. */
export function sessionCredentials(declared: Permissions, settings: SessionSettings): CredentialKind {
  const operators: ReadonlySet<Permission> = new Set(operatorPermissions(declared))
  return {
    kind: 'session',
    prefix: SESSION_PREFIX,
    find: FIND,
    values: [settings.idleHours],
    async hold(db) {
      const { id, userId: person } = db.viewer.actor
      db.send(db.accountId === NO_ACCOUNT ? holdOperator : holdUser, { person })
      db.send(holdSession, { id })
      const [own] = await db.rows(held, { id, idleHours: settings.idleHours })
      return own
    },
    become(row) {
      const { id, personId, accountId, name, role, isTemporary } = row as Row
      const held = isTemporary ? NOTHING : role ? permissionsOfRole(role) : operators
      const viewer: Viewer = {
        accountId: accountId ?? NO_ACCOUNT,
        permissions: [...held],
        held,
        actor: { kind: 'session', id, name, userId: personId },
        ...(role === UserRole.SELLER && { ownerScope: personId }),
        ...(isTemporary && { mustChangePassword: true }),
      }
      return { viewer, countedAs: personId, rateLimit: settings.rateLimit }
    },
    refusal: () => new AppError(SIGN_IN_ERRORS.INVALID_SESSION, 'This session is unknown or has ended: sign in again.'),
    table: 'sign_in_session',
  }
}
