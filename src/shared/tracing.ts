import { AsyncLocalStorage } from 'node:async_hooks'

/** What is known of something that was done; no secret and no value of a record is ever among it. */
export type Attributes = Readonly<Record<string, string | number | undefined>>

/** Something that is under way and whose begin and end are told. */
export interface Span {
  /** The id of the trace that it belongs to, in 32 hexadecimal digits. */
  readonly traceId: string
  /** Begins a part of it that is done by somebody else, such as a statement by the database; undefined after its end. */
  part(name: string, attributes: Attributes): Span | undefined
  rename(name: string): void
  add(attributes: Attributes): void
  /** Ends it; `failure` is the kind of failure that it ended with, such as a status or a code. */
  end(failure?: string): void
}

/** Where is told what requests and jobs do. */
export interface Traces {
  /**
   * Begins the span of a request or a job; a request's headers may say of which trace it is a part. Undefined where it is not
   * among those that are told.
   */
  begin(name: string, attributes: Attributes, headers?: Readonly<Record<string, unknown>>): Span | undefined
  /** Tells what has ended and is not told yet, and no more after that; takes two seconds at most. */
  close(): Promise<void>
}

const underWay = new AsyncLocalStorage<Span>()

/** Does work as a part of a span, also what it begins and goes on later. */
export const during = <T>(span: Span, work: () => T): T => underWay.run(span, work)

/** The span that what runs now is a part of. */
export const currentSpan = (): Span | undefined => underWay.getStore()
