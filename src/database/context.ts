import type { Viewer } from '../shared/viewer.js'
import type { Warnings } from '../shared/warnings.js'
import type { Scope } from './scope.js'

/** How much of the hour's requests a key has left, as the three headers tell it. */
export interface RateState {
  limit: number
  remaining: number
  /** Unix timestamp in seconds at which the window ends. */
  reset: number
}

/** What every resolver gets. */
export interface Context {
  readonly requestId: string
  /** The name of what the request does; one kind of work holds only a part of the connections. */
  kind: string
  /** Throws the authentication error when the request carried no valid credential. */
  readonly viewer: Viewer
  readonly db: Scope
  /** The account of the caller, if it is known. */
  readonly account: string | undefined
  /** How many statements were sent for the request so far. */
  readonly statements: number
  /** The database past row level security: for what concerns whoever calls, before it is known who that is. */
  asService(): Scope
  /** The address of the caller, as TRUST_PROXY lets it be known; "" when nobody called over a network. */
  readonly address: string
  /** What the caller says that it is; "" when it does not. */
  readonly userAgent: string
  readonly rate: RateState | undefined
  /** Counts the request as so many more of its key's; throws RATE_LIMIT_EXCEEDED when they are not left. */
  charge(requests: number): Promise<void>
  /** Waits until the caller's account may read, or takes note that it writes: other accounts see that it is at work. */
  begin(mutation: boolean): Promise<void>
  /** Lets the next read of the account begin. */
  end(): void
  /**
   * The permission that takes what is done now, if that outlasts the request: then what the viewer's credential is worth is
   * looked up in the transaction that does it.
   */
  lasting?: string
  /** The tool by which an AI assistant calls, if one does. */
  tool?: string
  /** Whether nobody waits for the answer any more; what the database does for it then is cancelled. */
  gone?(): boolean
  /** Lets go of what leads back to the request, once it is answered and nothing of it goes on. */
  release(): void
  /** What was odd in the request; `db.warn` adds to it. */
  readonly warnings: Warnings
  /** Set when the request is known to be wrong: a mutation then only tells what else is, and changes nothing. */
  rehearsing: boolean
  /** What lives as long as the request: DataLoaders, made at their first use. */
  readonly perRequest: Map<unknown, unknown>
}

/** The request's own instance of something, made at the first use; the maker itself is the key. */
export function perRequest<T>(context: Context, make: (context: Context) => T): T {
  let instance = context.perRequest.get(make) as T | undefined
  if (instance === undefined) {
    instance = make(context)
    context.perRequest.set(make, instance)
  }
  return instance
}
