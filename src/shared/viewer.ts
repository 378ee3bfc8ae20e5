/** Who acts: an API key now; sessions, tokens and operators later. */
export interface Actor {
  kind: 'api_key'
  id: string
  name: string
}

/** For whom a request runs: every read and write is confined to its account. */
export interface Viewer {
  accountId: string
  /** What was granted, wildcards among it. */
  permissions: readonly string[]
  /** The permissions that this comes to. */
  held: ReadonlySet<string>
  actor: Actor
  /** When set, only records owned by this user are seen. */
  ownerScope?: string
}
