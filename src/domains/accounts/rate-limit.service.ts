import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible'
import type { RateState } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import type { Actor } from '../../shared/viewer.js'
import type { KnownCaller } from './authentication.service.js'

const WINDOW_SECONDS = 3600

/** Whose requests are counted, and how many they may make an hour. */
type Counted = Pick<KnownCaller, 'countedAs' | 'rateLimit'> & { viewer: { actor: Pick<Actor, 'kind'> } }

/** Counts the requests of each key or person in a fixed window of one hour that its first request opens. */
export class RateLimit {
  // The limit is each key's own, so the counter itself never refuses.
  private readonly counter: RateLimiterAbstract = new RateLimiterMemory({
    points: Number.MAX_SAFE_INTEGER,
    duration: WINDOW_SECONDS,
  })

  /** How much is left, without counting anything. */
  async look({ countedAs, rateLimit }: Counted): Promise<RateState> {
    const { consumedPoints = 0, msBeforeNext = WINDOW_SECONDS * 1000 } = (await this.counter.get(countedAs)) ?? {}
    return stateOf(rateLimit, consumedPoints, msBeforeNext)
  }

  /** Counts a request, or several. `exceeded` is the error to answer with when that was too many. */
  async count(caller: Counted, requests = 1): Promise<{ state: RateState; exceeded?: AppError }> {
    const { countedAs, rateLimit: limit, viewer } = caller
    const { consumedPoints, msBeforeNext } = await this.counter.consume(countedAs, requests)
    const state = stateOf(limit, consumedPoints, msBeforeNext)
    if (consumedPoints <= limit) return { state }
    const seconds = Math.max(Math.ceil(msBeforeNext / 1000), 1)
    const who = viewer.actor.kind === 'api_key' ? 'this key' : 'you'
    const message = `The ${limit} requests that ${who} may make in an hour are used up; try again in ${seconds} seconds.`
    const exceeded = new AppError('RATE_LIMIT_EXCEEDED', message, { extra: { retryAfter: seconds } })
    return { state, exceeded }
  }
}

function stateOf(limit: number, consumed: number, msBeforeNext: number): RateState {
  return {
    limit,
    remaining: Math.max(limit - consumed, 0),
    reset: Math.ceil((Date.now() + msBeforeNext) / 1000),
  }
}
