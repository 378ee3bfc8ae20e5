import type { Database } from '../../database/index.js'
import type { Actor } from '../../shared/viewer.js'
import type { CredentialKind } from './authentication.service.js'

const FLUSH_MS = 10_000

/** Stores when some were last used, ids as $1, moments as $2: in the order of ids, since other processes store the same. */
const storeIn = (table: string) => `with held as (
    select id from ${table} where id = any($1::uuid[]) order by id for no key update)
  update ${table} t set last_used_at = greatest(t.last_used_at, u.at)
  from unnest($1::uuid[], $2::timestamptz[]) u(id, at), held where t.id = u.id and held.id = u.id`

/** Records when each credential was last used: kept in memory, written in one statement a kind every ten seconds. */
export class LastUse {
  private used = new Map<Actor['kind'], Map<string, number>>()
  private readonly timer: NodeJS.Timeout

  constructor(
    private readonly database: Database,
    private readonly kinds: readonly CredentialKind[],
    private readonly onError: (error: unknown) => void,
  ) {
    this.timer = setInterval(() => void this.flush(), FLUSH_MS)
    this.timer.unref()
  }

  record({ kind, id }: Actor): void {
    const ofKind = this.used.get(kind)
    if (ofKind) ofKind.set(id, Date.now())
    else this.used.set(kind, new Map([[id, Date.now()]]))
  }

  /** Writes what has gathered. A failure keeps it for the next time. */
  async flush(): Promise<void> {
    const gathered = this.used
    this.used = new Map()
    for (const { kind, table } of this.kinds) {
      const batch = gathered.get(kind)
      if (!batch) continue
      try {
        const times = [...batch.values()].map((at) => new Date(at).toISOString())
        await this.database.pool.query(storeIn(table), [[...batch.keys()], times])
      } catch (error) {
        this.used.set(kind, new Map([...batch, ...(this.used.get(kind) ?? [])]))
        this.onError(error)
      }
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.timer)
    await this.flush()
  }
}
