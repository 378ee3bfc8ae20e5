import { timingSafeEqual } from 'node:crypto'
import type { Database } from '../../database/index.js'
import { type Permissions, permissionsHeld } from '../../kit/permissions.js'
import { hashCredential } from '../../shared/credential.js'
import { AppError } from '../../shared/errors.js'
import type { Viewer } from '../../shared/viewer.js'
import { looksLikeKey } from './api-key.service.js'

/** What is known of a valid key for the next moment. */
export interface KnownKey {
  viewer: Viewer
  /** Requests an hour. */
  rateLimit: number
}

interface Entry {
  known: KnownKey
  hash: Buffer
  until: number
}

// A revocation by another process must count within one second, so nothing is believed for longer than this.
const BELIEVED_MS = 800
const MAX_ENTRIES = 10_000

/** Look-ups of keys are of no account yet; together they are one. */
const LOOK_UP = { account: '', kind: 'look-up' }
const FIND = `select id, account_id as "accountId", name, hash, permissions, rate_limit as "rateLimit"
  from api_key where hash = $1 and revoked_at is null`

interface Row {
  id: string
  accountId: string
  name: string
  hash: Buffer
  permissions: string[]
  rateLimit: number
}

/** Finds whom an API key stands for. Remembers the answer for less than a second. */
export class Authenticator {
  private readonly entries = new Map<string, Entry>()
  private readonly pending = new Map<string, Promise<Entry>>()
  /** Counts what was forgotten: a look that began before is not believed after. */
  private forgotten = 0

  constructor(
    private readonly database: Database,
    private readonly permissions: Permissions,
    private readonly now: () => number = Date.now,
  ) {}

  /** Throws MISSING_API_KEY or INVALID_API_KEY. */
  authenticate(credential: string | undefined): KnownKey | Promise<KnownKey> {
    if (!credential) throw new AppError('MISSING_API_KEY', 'Send an API key, best in the X-API-Key header.')
    if (!looksLikeKey(credential)) throw invalidKey()
    const hash = hashCredential(credential)
    const cacheKey = hash.toString('base64')
    const entry = this.entries.get(cacheKey)
    if (entry && entry.until > this.now() && timingSafeEqual(entry.hash, hash)) return entry.known
    return this.refresh(cacheKey, hash).then(({ known }) => known)
  }

  /** Forgets the key at once, for the process that revokes it. */
  forget(keyId: string): void {
    this.forgotten++
    this.pending.clear()
    for (const [hash, entry] of this.entries) if (entry.known.viewer.actor.id === keyId) this.entries.delete(hash)
  }

  /** Parallel requests with one key share one look into the database. */
  private refresh(cacheKey: string, hash: Buffer): Promise<Entry> {
    let pending = this.pending.get(cacheKey)
    if (!pending) {
      pending = this.find(cacheKey, hash)
      this.pending.set(cacheKey, pending)
      void pending.catch(() => {}).finally(() => this.pending.delete(cacheKey))
    }
    return pending
  }

  private async find(cacheKey: string, hash: Buffer): Promise<Entry> {
    const { forgotten } = this
    const until = this.now() + BELIEVED_MS // counted from before the look, which may itself take a while
    const { rows } = await this.database.requests.use(LOOK_UP, (client) => client.query<Row>(FIND, [hash]))
    const row = rows[0]
    if (!row || !timingSafeEqual(row.hash, hash)) {
      this.entries.delete(cacheKey)
      throw invalidKey()
    }
    const { id, accountId, name, permissions, rateLimit } = row
    const held = permissionsHeld(permissions, this.permissions)
    const viewer: Viewer = { accountId, permissions, held, actor: { kind: 'api_key', id, name } }
    const entry: Entry = { known: { viewer, rateLimit }, hash: row.hash, until }
    if (forgotten !== this.forgotten) return this.find(cacheKey, hash)
    if (this.entries.size >= MAX_ENTRIES) this.entries.delete(this.entries.keys().next().value as string)
    this.entries.set(cacheKey, entry)
    return entry
  }
}

function invalidKey(): AppError {
  return new AppError('INVALID_API_KEY', 'This API key is unknown, malformed or revoked.')
}
