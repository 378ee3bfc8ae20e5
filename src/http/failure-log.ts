import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { outageReason } from '../database/index.js'

/** More requests than are ever under way at once. */
const MAX_UNDER_WAY = 20_000

/**
 * Where the program tells what went wrong on our side. That the database could not be asked is told in the line of the
 * request's answer, which each request has anyhow: an outage would fill the log otherwise. All else has a line with a stack.
 */
export class FailureLog {
  private readonly reasons = new LRUCache<string, string>({ max: MAX_UNDER_WAY })

  constructor(private readonly logger: Logger) {}

  /** Tells of an error, and of which request; one that is none of a request's has its own line in any case. */
  readonly tell = (err: unknown, requestId?: string): void => {
    const reason = outageReason(err)
    if (reason !== undefined && requestId !== undefined) this.reasons.set(requestId, reason)
    else this.logger.error({ err, requestId }, reason === undefined ? 'unexpected error' : 'the database is away')
  }

  /** What kept the database from being asked for this request, which is told once. */
  take(requestId: string): string | undefined {
    const reason = this.reasons.get(requestId)
    if (reason !== undefined) this.reasons.delete(requestId)
    return reason
  }
}
