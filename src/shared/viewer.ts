/** Who acts: a program with an API key or with an agency's token, a person in a session, somebody at the command line, or the service itself. */
export interface Actor {
  kind: 'api_key' | 'agency_token' | 'session' | 'command' | 'system'
  /** The id of the key, the token or the session. */
  id: string
  /** The name of the key, or of the person. */
  name: string
  /** The user, or operator, whose session it is. */
  userId?: string
}

/** For whom a request runs: every read and write is confined to its account. */
export interface Viewer {
  /** An operator's is no account's. */
  accountId: string
  /** What was granted, wildcards among it. */
  permissions: readonly string[]
  /** The permissions that this comes to. */
  held: ReadonlySet<string>
  actor: Actor
  /** The agency whose token it is; then it is no account's. */
  agencyId?: string
  /** What stands in the address of that agency's API. */
  agencyKey?: string
  /** When set, only records owned by this user are seen. */
  ownerScope?: string
  /** Whether it must replace a temporary password before it may do anything else. */
  mustChangePassword?: boolean
}

/** The account of those who have none: nothing belongs to it. */
export const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000'

const NOTHING_GRANTED: ReadonlySet<string> = new Set()

/** The service itself or its command line, at work on an account. Permissions are asked of callers alone, so it needs none. */
export function insider(kind: 'command' | 'system', accountId: string): Viewer {
  return { accountId, permissions: [], held: NOTHING_GRANTED, actor: { kind, id: kind, name: kind } }
}
