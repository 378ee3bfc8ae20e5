import type { IncomingMessage } from 'node:http'

type Marked = IncomingMessage & { [mark: symbol]: unknown }

/**
 * Something that is known of requests, kept on each of them. A WeakMap, being old, would keep what it tells of a young request
 * until the next full collection, and with it whatever that refers to: the request itself, its answer and what was read.
 */
export class ByRequest<Value> {
  private readonly mark = Symbol('known')

  set(request: IncomingMessage, value: Value): void {
    ;(request as Marked)[this.mark] = value
  }

  get(request: IncomingMessage): Value | undefined {
    return (request as Marked)[this.mark] as Value | undefined
  }
}
