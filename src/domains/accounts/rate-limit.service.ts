import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible'
import type { RateState } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'

const WINDOW_SECONDS = 3600

/** Counts the requests of each key in a fixed window of one hour that its first request opens. */
export class RateLimit {
  // The limit is each key's own, so the counter itself never refuses.
  private readonly counter: RateLimiterAbstract = new RateLimiterMemory({
    points: Number.MAX_SAFE_INTEGER,
    duration: WINDOW_SECONDS,
  })

  /** Counts one request. `exceeded` is the error to answer with when it was one too many. */
  async count(keyId: string, limit: number): Promise<{ state: RateState; exceeded?: AppError }> {
    const { consumedPoints, msBeforeNext } = await this.counter.consume(keyId)
    const state: RateState = {
      limit,
      remaining: Math.max(limit - consumedPoints, 0),
      reset: Math.ceil((Date.now() + msBeforeNext) / 1000),
    }
    if (consumedPoints <= limit) return { state }
    const seconds = Math.max(Math.ceil(msBeforeNext / 1000), 1)
    const exceeded = new AppError('RATE_LIMIT_EXCEEDED', `This key may make ${limit} requests an hour.`, {
      extra: { retryAfter: seconds },
    })
    return { state, exceeded }
  }
}
