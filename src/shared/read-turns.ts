import { availableParallelism } from 'node:os'
import { performance } from 'node:perf_hooks'

/** How fast what an account did is forgotten, and for how long one that has worked counts as at work. */
const REMEMBERED_MS = 1000
/** So many reads at a time on the average of the last while are many. */
const MANY = 1.5
/** A read that has taken longer than this is a heavy one, however few there are. */
const HEAVY_MS = 50
/** Statements of one read that run at once at most. */
const WIDTH = 4
/** What takes longer than this holds nobody up any more: it may be a lock that it waits for. */
const LONG_MS = 1000
const LOOK_MS = 250

interface Waiting {
  /** When the read began that it is, or is of. */
  readonly since: number
  begin(running: Running): void
}

interface Running {
  readonly since: number
}

/** What runs of an account, and what waits until it may: that of the read that began first comes first. */
class Line {
  readonly running = new Set<Running>()
  readonly waiting: Waiting[] = []

  wait(one: Waiting): void {
    let at = this.waiting.length
    while (at > 0 && this.waiting[at - 1]!.since > one.since) at--
    this.waiting.splice(at, 0, one)
  }
}

interface Use {
  readonly reads: Line
  readonly statements: Line
  /** The average of the reads that ran or waited in the last while, up to `at`. */
  asked: number
  at: number
  timer?: NodeJS.Timeout
}

/** A read that is under way. */
export interface Turn {
  /**
   * Runs a statement of it, at once or when it may. Of one that is `stuck`, since it needs what is locked, it is known that it
   * takes no time from others: it waits for nothing here, and its read makes way for the next.
   */
  statement<T>(send: () => Promise<T>, stuck?: boolean): Promise<T>
  /** Ends it; to tell that again changes nothing. */
  end(): void
}

/**
 * Leaves accounts the time of the process and of the database that another account's reads would take. While others are at
 * work, the reads of an account that goes on asking for several at a time come one after another (on half of the cores),
 * and so do their statements and those of a read that takes long. What waits here holds neither connection nor lock. Writes
 * never wait.
 */
export class ReadTurns {
  private readonly uses = new Map<string, Use>()
  /** Who worked last, and who did before of the others: an account has others beside it if one of these is not itself. */
  private last = { account: '', at: Number.NEGATIVE_INFINITY }
  private before = { account: '', at: Number.NEGATIVE_INFINITY }
  /** So many accounts are known when those that did nothing for long are dropped. */
  private most = 100

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly atOnce = Math.max(1, availableParallelism() >> 1),
  ) {}

  /** How many reads wait for their turn. */
  get waiting(): number {
    let count = 0
    for (const { reads } of this.uses.values()) count += reads.waiting.length
    return count
  }

  /** An account writes: others see that it is at work. */
  write(account: string): void {
    this.saw(account, this.now())
  }

  /** An account reads, at once or when its turn has come. */
  read(account: string): Turn | Promise<Turn> {
    const now = this.now()
    this.saw(account, now)
    const use = this.useOf(account, now)
    const begun = this.enter(account, use, use.reads, now, now)
    return begun instanceof Promise
      ? begun.then((running) => this.turn(account, use, running))
      : this.turn(account, use, begun)
  }

  private turn(account: string, use: Use, read: Running): Turn {
    const waiting: (() => void)[] = []
    let sending = 0
    const statement = async <T>(send: () => Promise<T>, stuck = false): Promise<T> => {
      if (stuck) {
        this.leave(account, use, use.reads, read)
        return send()
      }
      if (sending < WIDTH) sending++
      else await new Promise<void>((go) => waiting.push(go))
      const entered = this.enter(account, use, use.statements, read.since, this.now())
      const running = entered instanceof Promise ? await entered : entered
      try {
        return await send()
      } finally {
        this.leave(account, use, use.statements, running)
        const next = waiting.shift()
        if (next) next()
        else sending--
      }
    }
    const end = () => {
      this.saw(account, this.now())
      this.leave(account, use, use.reads, read)
    }
    return { statement, end }
  }

  private enter(account: string, use: Use, line: Line, since: number, now: number): Running | Promise<Running> {
    bringUpTo(use, now)
    if (line.waiting.length === 0 && this.mayBegin(account, use, line, since, now)) return begin(line, now)
    return new Promise((begin) => {
      line.wait({ since, begin })
      this.lookSoon(account, use)
    })
  }

  private leave(account: string, use: Use, line: Line, running: Running): void {
    bringUpTo(use, this.now())
    // What came for others meanwhile is looked at first.
    if (line.running.delete(running) && line.waiting.length > 0) setImmediate(() => this.beginWaiting(account, use))
  }

  private beginWaiting(account: string, use: Use): void {
    const now = this.now()
    bringUpTo(use, now)
    for (const line of [use.reads, use.statements]) {
      while (line.waiting.length > 0 && this.mayBegin(account, use, line, line.waiting[0]!.since, now)) {
        line.waiting.shift()!.begin(begin(line, now))
      }
    }
    if (use.reads.waiting.length + use.statements.waiting.length > 0) this.lookSoon(account, use)
  }

  /** Those that run may take too long, or the others stop. */
  private lookSoon(account: string, use: Use): void {
    use.timer ??= setTimeout(() => {
      use.timer = undefined
      this.beginWaiting(account, use)
    }, LOOK_MS)
  }

  private mayBegin(account: string, { asked }: Use, { running }: Line, since: number, now: number): boolean {
    if (running.size < this.atOnce) return true
    if (asked < MANY && now - since < HEAVY_MS) return true
    if (!this.hasOthers(account, now)) return true
    let short = 0
    for (const { since } of running) if (now - since < LONG_MS) short++
    return short < this.atOnce
  }

  private hasOthers(account: string, now: number): boolean {
    const other = this.last.account === account ? this.before : this.last
    return now - other.at < REMEMBERED_MS
  }

  private saw(account: string, at: number): void {
    if (this.last.account !== account) this.before = this.last
    this.last = { account, at }
  }

  private useOf(account: string, now: number): Use {
    const known = this.uses.get(account)
    if (known) return known
    if (this.uses.size >= this.most) this.clear(now)
    const use: Use = { reads: new Line(), statements: new Line(), asked: 0, at: now }
    this.uses.set(account, use)
    return use
  }

  /** Drops those who did nothing for long; again when twice as many as were left are known. */
  private clear(now: number): void {
    for (const [account, { reads, at }] of this.uses) {
      if (reads.running.size + reads.waiting.length === 0 && now - at > 10 * REMEMBERED_MS) this.uses.delete(account)
    }
    this.most = Math.max(100, 2 * this.uses.size)
  }
}

function begin({ running }: Line, since: number): Running {
  const begun = { since }
  running.add(begun)
  return begun
}

function bringUpTo(use: Use, now: number): void {
  const asks = use.reads.running.size + use.reads.waiting.length
  use.asked = asks + (use.asked - asks) * Math.exp((use.at - now) / REMEMBERED_MS)
  use.at = now
}
