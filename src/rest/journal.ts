import type { Context } from '../database/index.js'
import { AppError, Deferred } from '../shared/errors.js'
import type { Outcome } from './admission.js'
import type { Members } from './api.js'

/** A call that is going to change something. */
export interface BookedCall {
  context: Context
  /** The name of the stored operation. */
  operation: string
  /** The caller's Idempotency-Key, if there is one. */
  key?: string
  /** Hash of what was sent; a repeat with the key must send the same. */
  requestHash: Buffer
}

/** What has become of a call: its outcome, and the error that it ended with, if it did. */
export interface Done extends Outcome {
  /** What `error` of the body says. */
  failure?: Members
  error?: AppError
  /** Whether it is not done yet. */
  deferred?: boolean
}

/** The outcome of a booked call, which may be that of an earlier one with the same key. */
export interface BookedOutcome {
  /** The entry in the journal. */
  entry: string
  /** Its status is the endpoint's own where none is said. */
  outcome: Pick<Outcome, 'body'> & Partial<Outcome>
  replayed: boolean
}

/**
 * The books on calls that change something: an entry is there before the call does anything, says how it ended, and is
 * what a repeat with the same Idempotency-Key is answered from. The outcomes that it returns begin with nothing of the API's.
 */
export interface Journal {
  /** Throws where a call is not to be booked, such as one with a key that was used for something else. */
  book(call: BookedCall, work: () => Promise<Done>): Promise<BookedOutcome>
}

/** The status and the body of a call that is not done yet. */
export const PENDING: Outcome = { status: 202, body: { data: { status: 'pending' } } }

/** Carries a call out; its failure becomes an outcome too, as `show` tells it. */
export async function done(
  work: () => Promise<Outcome>,
  show: (error: unknown) => { error: AppError; outcome: Outcome & { body: Members } },
): Promise<Done> {
  try {
    return await work()
  } catch (thrown) {
    if (thrown instanceof Deferred) return { ...PENDING, deferred: true }
    const { error, outcome } = show(thrown)
    return { ...outcome, failure: outcome.body.error as Members, error }
  }
}

/** A body of the API's envelope with the name of the entry in it; of a failure this call's id, also when it is a repeat's. */
export function withEntry(
  { entry, outcome: { body } }: BookedOutcome,
  envelope: Members,
  member: string,
  requestId: string,
): Members {
  const members: Members = { ...envelope, [member]: entry, ...(typeof body === 'string' ? JSON.parse(body) : body) }
  if (members.error) members.error = { ...members.error, request_id: requestId }
  return members
}
