import { timingSafeEqual } from 'node:crypto'
import type { Database, Scope } from '../../database/index.js'
import { hashCredential, isCredential } from '../../shared/credential.js'
import { AppError } from '../../shared/errors.js'
import type { Actor, Viewer } from '../../shared/viewer.js'

/** What is known of a caller whose credential is good, for the next moment. */
export interface KnownCaller {
  viewer: Viewer
  /** Whose requests are counted together: a key's, or those of all sessions of a person. */
  countedAs: string
  /** Requests an hour. */
  rateLimit: number
}

/** What is found of a credential. */
export interface FoundCredential {
  hash: Buffer
}

/** A kind of credential: how it looks, how it is found, whom it stands for, and how its use is written down. */
export interface CredentialKind {
  kind: Actor['kind']
  /** What its credentials begin with. */
  prefix: string
  /** The statement that finds one that is in force, by its hash as $1; `values` follow. */
  find: string
  values?: readonly unknown[]
  /**
   * Finds the viewer's own, if it is in force, as it and whose it is are until the open transaction ends. `permission` is
   * what the transaction does by it.
   */
  hold(db: Scope, permission: string): Promise<FoundCredential | undefined>
  become(row: FoundCredential): KnownCaller
  /** The error of one that is not in force. */
  refusal(): AppError
  /** The table that they are kept in, and their last use in `last_used_at`. */
  table: string
}

interface Entry {
  known: KnownCaller
  hash: Buffer
  until: number
}

// Other processes tell of a revocation. Should that not get through, it must count within one second all the same, so
// nothing is believed for longer than this.
const BELIEVED_MS = 800
const MAX_ENTRIES = 10_000

/** Look-ups of credentials are of no account yet; together they are one. */
const LOOK_UP = { account: '', kind: 'look-up' }

/** Finds whom a credential stands for. Remembers the answer for less than a second. */
export class Authenticator {
  private readonly entries = new Map<string, Entry>()
  private readonly pending = new Map<string, Promise<Entry>>()
  /** Counts what was forgotten: a look that began before is not believed after. */
  private forgotten = 0

  constructor(
    private readonly database: Database,
    private readonly kinds: readonly CredentialKind[],
    private readonly now: () => number = Date.now,
  ) {
    database.onForget(this)
  }

  /**
   * Throws MISSING_API_KEY or INVALID_API_KEY, or what else its kind says of one that is not in force. `beforeLook` is called
   * before the database is asked for one that was not good a while ago; what it throws is thrown.
   */
  authenticate(
    credential: string | undefined,
    admitted: readonly Actor['kind'][] = this.kinds.map(({ kind }) => kind),
    beforeLook: () => void = () => {},
  ): KnownCaller | Promise<KnownCaller> {
    if (!credential) throw new AppError('MISSING_API_KEY', 'Send an API key, best in the X-API-Key header.')
    const kind = this.kinds.find(({ prefix }) => credential.startsWith(prefix))
    if (!kind) throw invalidKey()
    if (!admitted.includes(kind.kind)) {
      throw new AppError('INVALID_API_KEY', `A ${kind.kind.replace('_', ' ')} does not open this API: send an API key.`)
    }
    // The checksum catches typing errors without a look into the database.
    if (!isCredential(kind.prefix, credential)) throw kind.refusal()
    const hash = hashCredential(credential)
    const cacheKey = hash.toString('base64')
    const entry = this.entries.get(cacheKey)
    if (entry && entry.until > this.now() && timingSafeEqual(entry.hash, hash)) return entry.known
    if (!entry) beforeLook()
    return this.refresh(kind, cacheKey, hash).then(({ known }) => known)
  }

  /** Forgets a credential, or all of a user, at once: for the process that ends them. */
  forget(id: string): void {
    this.forgotten++
    this.pending.clear()
    for (const [hash, { known }] of this.entries) {
      const { actor } = known.viewer
      if (actor.id === id || actor.userId === id) this.entries.delete(hash)
    }
  }

  /** Forgets all, since something may have ended that this process has not heard of. */
  forgetAll(): void {
    this.forgotten++
    this.pending.clear()
    this.entries.clear()
  }

  /** Parallel requests with one credential share one look into the database. */
  private refresh(kind: CredentialKind, cacheKey: string, hash: Buffer): Promise<Entry> {
    let pending = this.pending.get(cacheKey)
    if (!pending) {
      pending = this.find(kind, cacheKey, hash)
      this.pending.set(cacheKey, pending)
      const done = () => {
        if (this.pending.get(cacheKey) === pending) this.pending.delete(cacheKey)
      }
      pending.then(done, done)
    }
    return pending
  }

  private async find(kind: CredentialKind, cacheKey: string, hash: Buffer): Promise<Entry> {
    const { forgotten } = this
    const until = this.now() + BELIEVED_MS // counted from before the look, which may itself take a while
    const values = [hash, ...(kind.values ?? [])]
    const { rows } = await this.database.requests.use(LOOK_UP, (client) =>
      client.query<FoundCredential>(kind.find, values),
    )
    const row = rows[0]
    if (!row || !timingSafeEqual(row.hash, hash)) {
      this.entries.delete(cacheKey)
      throw kind.refusal()
    }
    const entry: Entry = { known: kind.become(row), hash: row.hash, until }
    if (forgotten !== this.forgotten) return this.find(kind, cacheKey, hash)
    if (this.entries.size >= MAX_ENTRIES) this.entries.delete(this.entries.keys().next().value as string)
    this.entries.set(cacheKey, entry)
    return entry
  }
}

/** INVALID_API_KEY, without a reason: who guesses learns nothing. */
export function invalidKey(): AppError {
  return new AppError('INVALID_API_KEY', 'This API key is unknown or malformed, or it was revoked or has expired.')
}
