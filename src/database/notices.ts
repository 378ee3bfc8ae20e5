import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'

const CHANNEL = 'fairlead_forget'
// A notice has at most 8000 bytes, and an id has 36.
const IDS_A_NOTICE = 200
const RECONNECT_MS = 250
const ANSWER_MS = 5000

/** Makes a pool for the one connection that listens. */
type OpenListener = (limits: { name: string; max: number; answerMs: number }) => pg.Pool

/** A connection that listens. */
interface Listening {
  /** Resolves when nothing is heard over it any more. */
  lost: Promise<void>
  end(): void
}

/** Tells all processes of records of which they must not believe any more what they knew of them. */
export class Notices {
  private waiting = new Set<string>()
  private sending?: Promise<void>

  constructor(
    private readonly pool: pg.Pool,
    private readonly openListener: OpenListener,
    private readonly log: (level: 'debug' | 'warn', message: string) => void,
  ) {}

  /**
   * Tells of a record, after the commit: a notice within a transaction would make all commits wait for each other. What comes
   * together goes together. One that does not get through is no fault, since nobody believes anything for a second.
   */
  tell(id: string): void {
    this.waiting.add(id)
    this.sending ??= this.sendAll().finally(() => {
      this.sending = undefined
    })
  }

  /** Resolves when all that was told is on its way. */
  async settled(): Promise<void> {
    await this.sending
  }

  /**
   * Listens, until stopped. Whenever it begins to, as after a connection that broke, something may have been missed, and
   * `missed` is called. Resolves when it listens for the first time, or could not.
   */
  async listen(hear: (id: string) => void, missed: () => void): Promise<() => Promise<void>> {
    const pool = this.openListener({ name: 'notices', max: 1, answerMs: ANSWER_MS })
    const ended = new AbortController()
    let begun = () => {}
    const first = new Promise<void>((resolve) => {
      begun = resolve
    })
    let listening: Listening | undefined
    const stay = async () => {
      while (!ended.signal.aborted) {
        listening = await this.connect(pool, hear)
        missed()
        begun()
        await listening?.lost
        await delay(RECONNECT_MS, undefined, { signal: ended.signal, ref: false }).catch(() => {})
      }
    }
    const staying = stay()
    await first
    return async () => {
      if (ended.signal.aborted) return
      ended.abort()
      listening?.end()
      await staying
      await pool.end()
    }
  }

  private async connect(pool: pg.Pool, hear: (id: string) => void): Promise<Listening | undefined> {
    try {
      const client = await pool.connect()
      let end!: () => void
      const lost = new Promise<void>((resolve) => {
        end = resolve
      })
      void lost.then(() => client.release(true))
      client.on('error', () => {}).once('end', end)
      client.on('notification', ({ payload }) => {
        for (const id of (payload ?? '').split(' ')) hear(id)
      })
      await client.query(`listen ${CHANNEL}`).catch((error) => {
        end()
        throw error
      })
      return { lost, end }
    } catch (error) {
      this.log('debug', `Notices of other processes are not heard: ${(error as Error).message}`)
      return undefined
    }
  }

  private async sendAll(): Promise<void> {
    await Promise.resolve() // what a transaction tells of at its end goes together
    while (this.waiting.size > 0) {
      const ids = [...this.waiting].slice(0, IDS_A_NOTICE)
      for (const id of ids) this.waiting.delete(id)
      await this.pool.query('select pg_notify($1, $2)', [CHANNEL, ids.join(' ')]).catch((error: Error) => {
        this.log('debug', `Other processes were not told: ${error.message}`)
      })
    }
  }
}
