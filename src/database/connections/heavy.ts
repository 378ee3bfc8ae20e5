/** How fast what an account did is forgotten. */
const REMEMBERED_MS = 1000
/** Work that holds a connection for less than this, on the average, is light, however much there is of it. */
const LIGHT_MS = 3
/** How much one piece of work counts in the average of an account's. */
const WEIGHT = 0.05

interface Use {
  holds: number
  /** The average of the connections held in the last while. */
  average: number
  /** For how long its work holds one. */
  piece: number
  /** Up to when the average is told. */
  at: number
}

/**
 * Tells which accounts are heavy: those whose work is long, and that held at least half as many connections in the last
 * second as whoever held the most, while others worked as well.
 */
export class Heavy {
  private readonly uses = new Map<string, Use>()

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** An account takes a connection (1) or gives back (-1) one that it held for so long. */
  count(account: string, difference: 1 | -1, heldMs = 0): void {
    const now = this.now()
    let use = this.uses.get(account)
    if (!use) {
      if (this.uses.size > 0) this.forget(now)
      use = { holds: 0, average: 0, piece: 0, at: now }
      this.uses.set(account, use)
    }
    bringUpTo(use, now)
    use.holds += difference
    if (difference < 0) use.piece += WEIGHT * (heldMs - use.piece)
  }

  /** Whether the account leaves too little to others who work now. */
  has(account: string): boolean {
    if (this.uses.size < 2) return false
    const use = this.uses.get(account)
    if (!use || use.piece < LIGHT_MS) return false
    const now = this.now()
    this.forget(now)
    if (this.uses.size < 2) return false
    bringUpTo(use, now)
    for (const other of this.uses.values()) {
      if (averageAt(other, now) > 2 * use.average) return false
    }
    return true
  }

  private forget(now: number): void {
    for (const [account, { holds, at }] of this.uses) {
      if (holds === 0 && now - at > REMEMBERED_MS) this.uses.delete(account)
    }
  }
}

function averageAt({ holds, average, at }: Use, now: number): number {
  return holds + (average - holds) * Math.exp((at - now) / REMEMBERED_MS)
}

function bringUpTo(use: Use, now: number): void {
  use.average = averageAt(use, now)
  use.at = now
}
