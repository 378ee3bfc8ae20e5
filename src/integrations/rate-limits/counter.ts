/** How much of their allowance somebody has used in the window of time that runs. */
export interface Count {
  /** Requests, this one among them. */
  used: number
  /** Milliseconds until the window ends. */
  msLeft: number
}

/** Counts requests in windows of a fixed length, each of which the first request in it opens. */
export interface RequestCounter {
  /** Gets ready before the first request, but takes no longer than this; what fails then is tried again later. */
  open?(waitMs: number): Promise<void>
  /** Counts requests of somebody. Each call gets a number of its own, however many come at once. */
  count(who: string, requests: number, windowMs: number): Count | Promise<Count>
  /** What was counted, without counting anything. */
  look(who: string, windowMs: number): Count | Promise<Count>
  close(): void | Promise<void>
}
