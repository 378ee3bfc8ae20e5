import type { Redis } from 'ioredis'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { lazily } from '../../shared/lazily.js'
import type { Count, RequestCounter } from './counter.js'

const ioredis = lazily<typeof import('ioredis')>('ioredis')

const PREFIX = 'fairlead:requests'
const CONNECT_MS = 2000
// A connection over which nothing comes back for so long is given up, and made anew.
const SILENT_MS = 2000
const RECONNECT_MS = 1000

/** Counts in Redis 5 or later, or what speaks its language. */
export class RedisCounter implements RequestCounter {
  private readonly client: Redis
  private connecting?: Promise<void>
  /** By the length of their windows. */
  private readonly limiters = new Map<number, RateLimiterRedis>()

  constructor(url: string) {
    this.client = new (ioredis().Redis)(url, {
      lazyConnect: true,
      enableOfflineQueue: false, // what cannot be asked now is counted elsewhere
      autoResendUnfulfilledCommands: false, // and is not counted twice
      maxRetriesPerRequest: 0,
      enableAutoPipelining: true, // what is asked within one moment goes together
      connectTimeout: CONNECT_MS,
      socketTimeout: SILENT_MS,
      retryStrategy: () => RECONNECT_MS,
      connectionName: 'fairlead',
    })
    this.client.on('error', () => {}) // whoever asks gets it
  }

  async count(who: string, requests: number, windowMs: number): Promise<Count> {
    await this.connected()
    const { consumedPoints, msBeforeNext } = await this.limiterOf(windowMs).consume(who, requests)
    return { used: consumedPoints, msLeft: msBeforeNext }
  }

  async look(who: string, windowMs: number): Promise<Count> {
    await this.connected()
    const found = await this.limiterOf(windowMs).get(who)
    return found ? { used: found.consumedPoints, msLeft: found.msBeforeNext } : { used: 0, msLeft: windowMs }
  }

  close(): void {
    this.client.disconnect()
  }

  /** The first use makes the connection; it is made again by itself when it breaks, and nobody waits for that. */
  private connected(): Promise<void> | undefined {
    if (this.client.status === 'wait') this.connecting = this.client.connect().catch(() => {})
    return this.client.status === 'ready' ? undefined : this.connecting
  }

  private limiterOf(windowMs: number): RateLimiterRedis {
    const known = this.limiters.get(windowMs)
    if (known) return known
    const limiter = new RateLimiterRedis({
      storeClient: this.client,
      keyPrefix: PREFIX,
      // Who may do how much is not its matter: it counts, and never refuses.
      points: Number.MAX_SAFE_INTEGER,
      duration: windowMs / 1000,
    })
    this.limiters.set(windowMs, limiter)
    return limiter
  }
}
