import type { Turn } from '../../shared/read-turns.js'
import { Outage } from '../failures.js'

/** For whom and for what a connection is wanted. */
export interface Claim {
  account: string
  /** What is done with it, by name: work of one kind meets the same locks. */
  kind: string
  /** Whoever wants it: may have left meanwhile, hears how many statements that took, and may read by turns. */
  caller?: { gone?(): boolean; sent?(statements: number): void; turn?: Turn }
}

interface Waiting {
  claim: Claim
  grant(): void
  refuse(error: Error): void
  timer: NodeJS.Timeout
}

/** How long a kind of work that met a lock or took too long may hold only one connection, unless it succeeds before. */
const SUSPECT_MS = 10_000
const MAX_SUSPECTS = 500

/**
 * Shares connections out. The next one goes to the account that holds the fewest, and of those that hold equally few to
 * the kind of work that does, then to who came first. Some are always left for others than one account, and than one
 * kind of work. Of a kind that met a lock, or the limit of time, one at a time tries whether that is over, and all such
 * kinds together hold few: what needs none of what is locked goes on.
 */
export class Shares {
  private readonly accounts: Held = new Map()
  private readonly kinds: Held = new Map()
  private readonly lines = new Map<string, Waiting[]>()
  private readonly suspects = new Map<string, number>()
  /** Suspect kinds of which one tries. */
  private readonly trying = new Set<string>()
  private readonly most: number
  private inUse = 0

  /** `waitMs`: how long a claim waits at most before it is refused. */
  constructor(
    private readonly size: number,
    private readonly waitMs: number,
  ) {
    this.most = size < 4 ? size : size - (size >> 2)
  }

  /** Waits for its turn; throws Outage when that takes too long. Each turn is given back by `release`. */
  acquire(claim: Claim): Promise<void> | undefined {
    if (this.inUse < this.size && this.isAllowed(claim) && this.lines.size === 0) {
      this.take(claim)
      return undefined
    }
    return new Promise((resolve, reject) => {
      const leave = () => this.leave(waiting)
      const waiting: Waiting = {
        claim,
        grant: () => {
          clearTimeout(waiting.timer)
          resolve()
        },
        refuse: (error) => {
          clearTimeout(waiting.timer)
          reject(error)
        },
        timer: setTimeout(() => {
          leave()
          reject(new Outage('No connection to the database was free in time.'))
        }, this.waitMs),
      }
      const line = this.lines.get(lineOf(claim))
      if (line) line.push(waiting)
      else this.lines.set(lineOf(claim), [waiting])
      this.grantFree() // the others may all wait for what this one does not
    })
  }

  /** Gives a turn back. `late` tells that the work met a lock or the limit of time; that it succeeded, false. */
  release({ account, kind }: Claim, late?: boolean): void {
    this.inUse--
    count(this.accounts, account, -1)
    count(this.kinds, kind, -1)
    if (!this.kinds.has(kind)) this.trying.delete(kind)
    if (late) this.suspect(kind)
    else if (late === false && this.suspects.size > 0) this.suspects.delete(kind)
    this.grantFree()
  }

  /** Lets those who have left go, and refuses all when `why` is given. */
  dismiss(why?: Error): void {
    for (const line of this.lines.values()) {
      for (const waiting of [...line]) {
        if (!why && !waiting.claim.caller?.gone?.()) continue
        this.leave(waiting)
        waiting.refuse(why ?? new Outage('The caller has left.'))
      }
    }
  }

  /** How many wait for their turn. */
  get waiting(): number {
    let count = 0
    for (const line of this.lines.values()) count += line.length
    return count
  }

  private grantFree(): void {
    while (this.inUse < this.size) {
      const line = this.next()
      if (!line) return
      const waiting = line.shift()!
      if (line.length === 0) this.lines.delete(lineOf(waiting.claim))
      this.take(waiting.claim)
      waiting.grant()
    }
  }

  /** The line whose first comes next. */
  private next(): Waiting[] | undefined {
    let best: Waiting[] | undefined
    let least = Number.POSITIVE_INFINITY
    for (const line of this.lines.values()) {
      const { claim } = line[0]!
      if (!this.isAllowed(claim)) continue
      const holds = held(this.accounts, claim.account) * (this.size + 1) + held(this.kinds, claim.kind)
      if (holds < least) {
        least = holds
        best = line
      }
    }
    return best
  }

  private isAllowed({ account, kind }: Claim): boolean {
    if (held(this.accounts, account) >= this.most) return false
    const same = held(this.kinds, kind)
    return this.isSuspect(kind) ? same === 0 && this.trying.size < Math.max(1, this.size >> 2) : same < this.most
  }

  private take({ account, kind }: Claim): void {
    this.inUse++
    count(this.accounts, account, 1)
    count(this.kinds, kind, 1)
    if (this.isSuspect(kind)) this.trying.add(kind)
  }

  private suspect(kind: string): void {
    if (this.suspects.size >= MAX_SUSPECTS) this.suspects.clear()
    this.suspects.set(kind, Date.now() + SUSPECT_MS)
  }

  /** Whether work of this kind met a lock or the limit of time, and none has succeeded since. */
  isSuspect(kind: string): boolean {
    const until = this.suspects.size === 0 ? undefined : this.suspects.get(kind)
    if (until === undefined) return false
    if (until > Date.now()) return true
    this.suspects.delete(kind)
    return false
  }

  private leave(waiting: Waiting): void {
    const name = lineOf(waiting.claim)
    const line = this.lines.get(name)
    const at = line?.indexOf(waiting) ?? -1
    if (at < 0) return
    line!.splice(at, 1)
    if (line!.length === 0) this.lines.delete(name)
  }
}

/** How many connections each account, or each kind of work, holds. */
type Held = Map<string, number>

const held = (by: Held, name: string) => by.get(name) ?? 0

function count(by: Held, name: string, difference: number): void {
  const now = held(by, name) + difference
  if (now === 0) by.delete(name)
  else by.set(name, now)
}

const lineOf = ({ account, kind }: Claim) => `${account} ${kind}`
