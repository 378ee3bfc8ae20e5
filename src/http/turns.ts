import { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'

/** Has pieces of work begin in the order in which they came, one in each turn of the event loop. */
export class Turns {
  private readonly waiting: (() => void)[] = []

  take(work: () => void): void {
    // What belongs to a request, such as its trace, goes with its work and not with that of who came first.
    if (this.waiting.push(AsyncResource.bind(work)) === 1) setImmediate(this.next)
  }

  private readonly next = (): void => {
    // In the next turn, before this one's work can fail.
    if (this.waiting.length > 1) setImmediate(this.next)
    this.waiting.shift()!()
  }
}

/** Whether a request carries nothing that could say who calls. */
export const isOfNobody = ({ headers, url }: IncomingMessage): boolean =>
  headers.authorization === undefined && headers['x-api-key'] === undefined && !url!.includes('api_key=')
