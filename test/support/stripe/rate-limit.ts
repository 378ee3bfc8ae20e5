/** How many calls a second an account may make; Stripe's test mode allows 25, live mode 100. */
export class RateLimit {
  private readonly perSecond: number
  private second = 0
  private count = 0

  constructor(perSecond: number) {
    this.perSecond = perSecond
  }

  /** Counts a call; whether it is one too many. */
  isPassed(): boolean {
    const second = Math.floor(Date.now() / 1000)
    this.count = second === this.second ? this.count + 1 : 1
    this.second = second
    return this.count > this.perSecond
  }
}
