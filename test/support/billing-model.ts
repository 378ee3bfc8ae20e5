/** What an agency owes and has paid, computed plainly: the model that the ledger is compared with. */
export interface ModelState {
  seats: Map<string, number>
  /** Paid back deducted. */
  collected: bigint
  carried: bigint
  unpaid: bigint
}

interface UnpaidRenewal {
  total: bigint
  retryAt: number
  declines: number
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
const daysIn = (year: number, month: number) => (month === 1 && isLeap(year) ? 29 : DAYS[month]!)
const DAY = 86_400

/** The second at which the cycle of a number begins, counted by hand from the anchor's calendar day. */
export function boundaryOf(anchor: Date, number: number): number {
  const months = anchor.getUTCMonth() + number
  const [year, month] = [anchor.getUTCFullYear() + Math.floor(months / 12), months % 12]
  const day = Math.min(anchor.getUTCDate(), daysIn(year, month))
  const time = Math.floor(anchor.getTime() / 1000) % DAY
  return Date.UTC(year, month, day) / 1000 + time
}

/** One agency: seats are added and taken away at moments, cycles begin, and a card pays or does not. */
export class BillingModel {
  private readonly changes: { at: number; seats: number; sub: string }[] = []
  private cycle: number
  private renewals: UnpaidRenewal[] = []
  private collected = 0n
  private carried = 0n
  /** What was owed for, for all of time. */
  owed = 0n
  card: 'pays' | 'declines' | 'none' = 'pays'
  /** A raise that has not come to an end: what was carried over when it began is for it to collect. */
  private underWay?: { at: number; seats: number; claimed: bigint }

  constructor(
    private readonly anchor: Date,
    private readonly price: bigint,
    private readonly smallest: bigint,
    now: number,
  ) {
    this.cycle = 0
    while (boundaryOf(anchor, this.cycle + 1) <= now) this.cycle++
  }

  get state(): ModelState {
    const seats = new Map<string, number>()
    for (const { sub, seats: n } of this.changes) seats.set(sub, (seats.get(sub) ?? 0) + n)
    const unpaid = this.renewals.reduce((sum, { total }) => sum + total, 0n)
    return { seats, collected: this.collected, carried: this.carried, unpaid }
  }

  seatsOf(sub: string): number {
    return this.state.seats.get(sub) ?? 0
  }

  /** What a raise costs at a moment, by the seconds that are left of its cycle. */
  costOf(seats: number, at: number): bigint {
    let number = 0
    while (boundaryOf(this.anchor, number + 1) <= at) number++
    const [start, end] = [boundaryOf(this.anchor, number), boundaryOf(this.anchor, number + 1)]
    const [top, bottom] = [this.price * BigInt(seats) * BigInt(end - at), BigInt(end - start)]
    const whole = top / bottom
    return (top % bottom) * 2n >= bottom ? whole + 1n : whole
  }

  /** Whether so many more seats cost enough to be collected now. */
  isCollected(seats: number, at: number): boolean {
    return seats > 0 && this.costOf(seats, at) >= this.smallest
  }

  /** A raise begins. */
  begin(seats: number, at: number): void {
    const claimed = this.costOf(seats, at) < this.smallest ? 0n : this.takeCarried()
    this.underWay = { at, seats, claimed }
  }

  /** It is given up. */
  abandon(): void {
    this.carried += this.underWay!.claimed
    this.underWay = undefined
  }

  /** It came to an end; tells which, and what it cost and what it collected. */
  end(sub: string): { outcome: 'paid' | 'carried' | 'declined'; cost: bigint; total: bigint } {
    const { at, seats, claimed } = this.underWay!
    const cost = this.costOf(seats, at)
    const small = cost < this.smallest
    if (small ? cost > 0n && this.card === 'none' : this.card !== 'pays') {
      this.abandon()
      return { outcome: 'declined', cost, total: 0n }
    }
    this.underWay = undefined
    this.changes.push({ at, seats, sub })
    this.owed += cost
    if (small) this.carried += cost
    else this.collected += cost + claimed
    return { outcome: small ? 'carried' : 'paid', cost, total: small ? 0n : cost + claimed }
  }

  lower(sub: string, seats: number, at: number): void {
    if (seats > 0) this.changes.push({ at, seats: -seats, sub })
  }

  /** The job: begins each cycle that is due, in order, and collects what is owed. */
  renew(now: number): void {
    const due: UnpaidRenewal[] = []
    for (;;) {
      const start = boundaryOf(this.anchor, this.cycle + 1)
      if (start > now || (this.underWay !== undefined && this.underWay.at < start)) break
      this.cycle++
      const seats = this.changes.reduce((sum, change) => (change.at < start ? sum + change.seats : sum), 0)
      const cost = BigInt(seats) * this.price
      this.owed += cost
      if (cost + this.carried < this.smallest) this.carried += cost
      else due.push({ total: cost + this.takeCarried(), retryAt: now, declines: 0 })
    }
    this.renewals.push(...due)
    for (const renewal of this.renewals.filter(({ retryAt }) => retryAt <= now)) {
      if (this.card === 'pays') {
        this.collected += renewal.total
        this.renewals = this.renewals.filter((other) => other !== renewal)
      } else {
        renewal.retryAt = now + DAY * Math.min(2 ** renewal.declines++, 8)
      }
    }
  }

  private takeCarried(): bigint {
    const { carried } = this
    this.carried = 0n
    return carried
  }
}
