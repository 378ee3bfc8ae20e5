import type { Database } from '../../database/index.js'

const FLUSH_MS = 10_000

const STORE = `update api_key k set last_used_at = greatest(k.last_used_at, u.at)
  from unnest($1::uuid[], $2::timestamptz[]) u(id, at) where k.id = u.id`

/** Records when each key was last used: kept in memory, written in one statement every ten seconds. */
export class LastUse {
  private used = new Map<string, number>()
  private readonly timer: NodeJS.Timeout

  constructor(
    private readonly database: Database,
    private readonly onError: (error: unknown) => void,
  ) {
    this.timer = setInterval(() => void this.flush(), FLUSH_MS)
    this.timer.unref()
  }

  record(keyId: string): void {
    this.used.set(keyId, Date.now())
  }

  /** Writes what has gathered. A failure keeps it for the next time. */
  async flush(): Promise<void> {
    if (this.used.size === 0) return
    const batch = this.used
    this.used = new Map()
    try {
      const times = [...batch.values()].map((at) => new Date(at).toISOString())
      await this.database.pool.query(STORE, [[...batch.keys()], times])
    } catch (error) {
      this.used = new Map([...batch, ...this.used])
      this.onError(error)
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.timer)
    await this.flush()
  }
}
