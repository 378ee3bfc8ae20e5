import type { Postmaster } from './postmaster.js'
import { isPostmasterOf } from './processes.js'

// Where it costs a look into /proc, and where it costs a process.
const LOOK_MS = process.platform === 'linux' ? 100 : 2000
const RETRY_MS = 1000

/** What the supervisor does about a server that has gone. */
export interface Recovery {
  cluster: string
  /** Whether there still is something to start. */
  exists(): boolean
  /** Finds the server that another process has started again, or starts it. */
  restart(lost: Postmaster): Promise<Postmaster>
  log(message: string): void
}

/** Watches the server of a cluster while this process uses it, and has it started again when it has died. */
export class Supervisor {
  private timer: NodeJS.Timeout | undefined
  private restarting: Promise<void> | undefined
  private stopped = false
  private lastProblem = ''

  constructor(
    private server: Postmaster,
    private readonly recovery: Recovery,
  ) {
    this.lookIn(LOOK_MS)
  }

  get pid(): number {
    return this.server.pid
  }

  /** The port that the server listens on, or did when it was last seen. */
  get port(): number {
    return this.server.port
  }

  /** Ends the watch, after a restart that is under way. */
  async stop(): Promise<void> {
    this.stopped = true
    clearTimeout(this.timer)
    await this.restarting
  }

  private lookIn(ms: number): void {
    if (this.stopped) return
    this.timer = setTimeout(() => {
      if (isPostmasterOf(this.server.pid, this.recovery.cluster)) return this.lookIn(LOOK_MS)
      if (this.recovery.exists()) this.restarting = this.recover()
    }, ms)
    this.timer.unref()
  }

  private async recover(): Promise<void> {
    const { restart, log } = this.recovery
    if (!this.lastProblem) log('The embedded PostgreSQL has gone; it is started again.')
    try {
      this.server = await restart(this.server)
      this.lastProblem = ''
      log(`The embedded PostgreSQL is back on port ${this.server.port}.`)
      this.lookIn(LOOK_MS)
    } catch (error) {
      const { message } = error as Error
      if (message !== this.lastProblem) log(message) // once, however often it is tried
      this.lastProblem = message
      this.lookIn(RETRY_MS)
    } finally {
      this.restarting = undefined
    }
  }
}
