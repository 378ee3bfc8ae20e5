/** One wrong field, of those that an error names. */
export interface Fault {
  /** The parameter, with a path to what is inside it. */
  field: string
  message: string
  /** The record that has the value already, of a conflict. */
  existing_id?: string
}

/** What the server says of a failure, and how it came. */
export interface Failure {
  code: string
  message: string
  status: number
  attempts: number
  details: readonly Fault[]
  request_id?: string
  event_id?: string
  retry_after?: number
  required_permission?: string
  existing_status?: string
}

/** An answer that is no success. Each code has a class of its own; one that this version does not know comes as this. */
export class FairleadError extends Error {
  override name = 'FairleadError'
  /** What went wrong, for programs. */
  readonly code: string
  /** The HTTP status. */
  readonly status: number
  /** How often the call was sent. */
  readonly attempts: number
  /** Every wrong field. */
  readonly details: readonly Fault[]
  /** What to name when you ask us about it. */
  readonly requestId: string | undefined
  /** The event that tells of the call, of the agency API. */
  readonly eventId: string | undefined
  /** After how many seconds it can be tried again. */
  readonly retryAfter: number | undefined
  /** The permission that the key lacks. */
  readonly requiredPermission: string | undefined
  /** The status of the contact that is in the campaign already. */
  readonly existingStatus: string | undefined

  constructor(failure: Failure) {
    super(failure.message)
    this.code = failure.code
    this.status = failure.status
    this.attempts = failure.attempts
    this.details = failure.details
    this.requestId = failure.request_id
    this.eventId = failure.event_id
    this.retryAfter = failure.retry_after
    this.requiredPermission = failure.required_permission
    this.existingStatus = failure.existing_status
  }
}
