/** How much of their allowance somebody has used in the window of time that runs. */
export interface Count {
  /** Requests, this one among them. */
  used: number
  /** Milliseconds until the window ends. */
  msLeft: number
}

/** How a counter that has a store outside went about its work so far. */
export interface CounterReport {
  /** Requests that the shared store counted, and those that this process counted by itself. */
  shared: number
  alone: number
  /** How often the store was given up. */
  failures: number
  /** Whether it is given up now. */
  isDown: boolean
}

/** Counts requests in windows of a fixed length, each of which the first request in it opens. */
export interface RequestCounter {
  /** Gets ready before the first request, but takes no longer than this; what fails then is tried again later. */
  open?(waitMs: number): Promise<void>
  /** Counts requests of somebody. Each call gets a number of its own, however many come at once. */
  count(who: string, requests: number, windowMs: number): Count | Promise<Count>
  /** What was counted, without counting anything. */
  look(who: string, windowMs: number): Count | Promise<Count>
  /** Of a counter that has a store outside. */
  readonly report?: Readonly<CounterReport>
  close(): void | Promise<void>
}
