import type { IncomingMessage } from 'node:http'

/**
 * Something that is known of requests, kept on each of them. A WeakMap, being old, would keep what it tells of a young request
 * until the next full collection, and with it whatever that refers to: the request itself, its answer and what was read.
 */
export class ByRequest<Value> {
  private readonly mark = Symbol('known')

  set(request: IncomingMessage, value: Value): void {
    Object.assign(request, { [this.mark]: value })
  }

  get(request: IncomingMessage): Value | undefined {
    return (request as { [mark: symbol]: Value | undefined } & IncomingMessage)[this.mark]
  }
}
