import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { RateState } from '../../database/index.js'
import type { RequestCounter } from '../../integrations/rate-limits/index.js'
import { AppError } from '../../shared/errors.js'
import { networkOf } from '../../shared/network.js'
import { secondsOf, stateOf } from './rate-limit.service.js'

const WINDOW_MS = 600_000
const MAX_REMEMBERED = 10_000

/** What is said to an address from which too many wrong credentials came. */
export class TooManyFailures extends AppError {
  constructor(
    readonly state: RateState,
    seconds: number,
  ) {
    const message = `Too many wrong credentials came from your address; try again in ${seconds} seconds.`
    super('RATE_LIMIT_EXCEEDED', message, { extra: { retryAfter: seconds } })
  }
}

/**
 * Counts the wrong credentials that come from each address, in windows of ten minutes. From one that had too many nobody is
 * let in with a credential that is new to this process, without a look into the database; credentials that were good go on,
 * since many programs may share an address.
 */
export class FailedAuthentications {
  /** When the window ends of addresses that had too many. */
  private readonly over = new LRUCache<string, number>({ max: MAX_REMEMBERED })

  constructor(
    private readonly counter: RequestCounter,
    private readonly limit: number,
  ) {}

  /** Throws RATE_LIMIT_EXCEEDED for an address that had too many. */
  require(address: string): void {
    const end = this.over.get(networkOf(address))
    if (end !== undefined && end > Date.now()) throw this.refusal(end)
  }

  /** Counts one more; throws RATE_LIMIT_EXCEEDED when that was too many. */
  async count(address: string): Promise<void> {
    const network = networkOf(address)
    const who = `address ${createHash('sha256').update(network).digest('base64url')}`
    const { used, msLeft } = await this.counter.count(who, 1, WINDOW_MS)
    if (used <= this.limit) return
    const end = Date.now() + msLeft
    this.over.set(network, end)
    throw this.refusal(end)
  }

  private refusal(end: number): TooManyFailures {
    const count = { used: this.limit, msLeft: end - Date.now() }
    return new TooManyFailures(stateOf(this.limit, count), secondsOf(count))
  }
}
