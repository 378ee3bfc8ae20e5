import { defineNeed, type RateState } from '../../database/index.js'
import type { Count, RequestCounter } from '../../integrations/rate-limits/index.js'
import { AppError } from '../../shared/errors.js'
import type { Actor } from '../../shared/viewer.js'
import type { KnownCaller } from './authentication.service.js'

const WINDOW_MS = 3_600_000
// A store that is not there does not keep the process from starting.
const OPEN_MS = 2000

/** What counts the requests of this process, or of all together. */
export const requestCounter = defineNeed<RequestCounter>('the counter of requests')

/** Whose requests are counted, and how many they may make an hour. */
type Counted = Pick<KnownCaller, 'countedAs' | 'rateLimit'> & { viewer: { actor: Pick<Actor, 'kind'> } }

/** Counts the requests of each key or person in a fixed window of one hour that its first request opens. */
export class RateLimit {
  constructor(
    private readonly counter: RequestCounter,
    private readonly tell: (outcome: 'passed' | 'refused') => void = () => {},
  ) {}

  /** Gets ready before the first request. */
  async open(): Promise<void> {
    await this.counter.open?.(OPEN_MS)
  }

  /** How much is left, without counting anything. */
  async look({ countedAs, rateLimit }: Counted): Promise<RateState> {
    return stateOf(rateLimit, await this.counter.look(countedAs, WINDOW_MS))
  }

  /** Counts a request, or several. `exceeded` is the error to answer with when that was too many. */
  async count(caller: Counted, requests = 1): Promise<{ state: RateState; exceeded?: AppError }> {
    const { countedAs, rateLimit: limit, viewer } = caller
    const counted = await this.counter.count(countedAs, requests, WINDOW_MS)
    const state = stateOf(limit, counted)
    this.tell(counted.used <= limit ? 'passed' : 'refused')
    if (counted.used <= limit) return { state }
    const seconds = secondsOf(counted)
    const who = viewer.actor.kind === 'api_key' ? 'this key' : 'you'
    const message = `The ${limit} requests that ${who} may make in an hour are used up; try again in ${seconds} seconds.`
    const exceeded = new AppError('RATE_LIMIT_EXCEEDED', message, { extra: { retryAfter: seconds } })
    return { state, exceeded }
  }
}

/** How long somebody is to wait whose allowance is used up, in whole seconds. */
export const secondsOf = ({ msLeft }: Pick<Count, 'msLeft'>): number => Math.max(Math.ceil(msLeft / 1000), 1)

/** What is left of an allowance. */
export function stateOf(limit: number, { used, msLeft }: Count): RateState {
  return {
    limit,
    remaining: Math.max(limit - used, 0),
    reset: Math.ceil((Date.now() + msLeft) / 1000),
  }
}
