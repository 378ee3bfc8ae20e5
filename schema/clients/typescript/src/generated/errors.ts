// Made by `npm run schema` out of schema/openapi: change the stored operations instead.
import { FairleadError } from '../failure.js'

/** 409: The AI employee does not have this action. See which actions it has, or give it what the action takes, such as an opening. */
export class ActionNotAvailableError extends FairleadError {
  override name = 'ActionNotAvailableError'
}

/** 409: The action cannot be carried out with this contact now; the message says what is in the way. Do away with what is in the way, such as a missing phone number, and try again. */
export class ActionNotPossibleError extends FairleadError {
  override name = 'ActionNotPossibleError'
}

/** 409: The AI employee is paused: it begins nothing and answers nothing. Have it work again, or tell another one. */
export class AgentPausedError extends FairleadError {
  override name = 'AgentPausedError'
}

/** 503: The model that writes for agents gave no answer that may be sent. Try again later; in a conversation the agent does so itself, and else people get it. */
export class AgentUnavailableError extends FairleadError {
  override name = 'AgentUnavailableError'
}

/** 409: The conversation goes through no channel account that works: it is disconnected, or no seat covers it. Connect the channel account again, or have a seat for it, and send the message anew. */
export class ChannelUnavailableError extends FairleadError {
  override name = 'ChannelUnavailableError'
}

/** 409: Nobody is there to send to: the contact was deleted, or has no address on this channel. Give the contact a phone number, or write to another contact. */
export class ContactUnreachableError extends FairleadError {
  override name = 'ContactUnreachableError'
}

/** 409: A record with the same unique value exists already. Update the record named in `details`, or send another value. */
export class DuplicateError extends FairleadError {
  override name = 'DuplicateError'
}

/** 409: Somebody in the service has this address already. Use another admin_email. */
export class EmailAlreadyRegisteredError extends FairleadError {
  override name = 'EmailAlreadyRegisteredError'
}

/** 404: The agency has no event with this id. Use an event_id that a write of this agency returned. */
export class EventNotFoundError extends FairleadError {
  override name = 'EventNotFoundError'
}

/** 409: Another live sub-account of the agency has this external_ref. Use another external_ref, or the sub-account that has it. */
export class ExternalRefAlreadyUsedError extends FairleadError {
  override name = 'ExternalRefAlreadyUsedError'
}

/** 409: The first call with this Idempotency-Key is still running. Repeat the call after the seconds in Retry-After. */
export class IdempotencyInProgressError extends FairleadError {
  override name = 'IdempotencyInProgressError'
}

/** 422: The Idempotency-Key was used before with another body or path. Use a new key for each new call. */
export class IdempotencyKeyReusedError extends FairleadError {
  override name = 'IdempotencyKeyReusedError'
}

/** 403: The API key lacks the permission named in `required_permission`. Use a key that has the permission. */
export class InsufficientPermissionsError extends FairleadError {
  override name = 'InsufficientPermissionsError'
}

/** 500: A fault on our side. Try again; if it stays, tell support the request id. */
export class InternalError extends FairleadError {
  override name = 'InternalError'
}

/** 401: The API key is unknown or malformed, or it was revoked or has expired. Use a key that is in force; create a new one if it has ended. */
export class InvalidApiKeyError extends FairleadError {
  override name = 'InvalidApiKeyError'
}

/** 400: There is an unknown channel, or a number of seats that is no integer from 0 to 100. Correct the channels named in `details`. */
export class InvalidChannelsError extends FairleadError {
  override name = 'InvalidChannelsError'
}

/** 400: The external_ref is no text of 1 to 120 characters without control characters. Send another one, or none. */
export class InvalidExternalRefError extends FairleadError {
  override name = 'InvalidExternalRefError'
}

/** 403: The token lacks the scope that the call needs. Use a token that has the scope named in the message. */
export class InvalidScopeError extends FairleadError {
  override name = 'InvalidScopeError'
}

/** 400: The collection agent holds as many profiles as its limit allows. Raise the limit of the agent, or add the profile to another one. */
export class LimitReachedError extends FairleadError {
  override name = 'LimitReachedError'
}

/** 405: The path exists, but not with this method. Use one of the methods in the Allow header. */
export class MethodNotAllowedError extends FairleadError {
  override name = 'MethodNotAllowedError'
}

/** 401: The request carries no API key. Send the key in the X-API-Key header. */
export class MissingApiKeyError extends FairleadError {
  override name = 'MissingApiKeyError'
}

/** 400: A mandatory field is missing, null or empty. Send the fields named in `details`. */
export class MissingFieldsError extends FairleadError {
  override name = 'MissingFieldsError'
}

/** 404: There is no such route, or no such record in this account. Check the path and the id. */
export class NotFoundError extends FairleadError {
  override name = 'NotFoundError'
}

/** 402: Channels that cost something were asked for, and the agency has no card on file. Put a card on file, or ask for no channels. */
export class NoPaymentMethodError extends FairleadError {
  override name = 'NoPaymentMethodError'
}

/** 413: The body is larger than 1 MiB. Send less in one request. */
export class PayloadTooLargeError extends FairleadError {
  override name = 'PayloadTooLargeError'
}

/** 429: The key's requests of this hour are used up. Wait for the seconds in Retry-After. */
export class RateLimitExceededError extends FairleadError {
  override name = 'RateLimitExceededError'
}

/** 429: The agency has created five sub-accounts within an hour. Call again after the seconds in Retry-After; the same Idempotency-Key may be used. */
export class RateLimitSubaccountCreateError extends FairleadError {
  override name = 'RateLimitSubaccountCreateError'
}

/** 410: What the first call with this Idempotency-Key created has been deleted since. Use a new key to create it anew. */
export class ResourceDeletedError extends FairleadError {
  override name = 'ResourceDeletedError'
}

/** 402: The card on file was declined; nothing was changed. Put another card on file and call again with a new Idempotency-Key. */
export class SeatChargeFailedError extends FairleadError {
  override name = 'SeatChargeFailedError'
}

/** 503: The database cannot be reached, or is too busy. Try again after the seconds in Retry-After. */
export class ServiceUnavailableError extends FairleadError {
  override name = 'ServiceUnavailableError'
}

/** 403: The sub-account belongs to another agency. Use an id or an external_ref of your own. */
export class SubAccountForbiddenError extends FairleadError {
  override name = 'SubAccountForbiddenError'
}

/** 404: There is no live sub-account with this id or external_ref. Check the reference; a deleted sub-account does not come back. */
export class SubAccountNotFoundError extends FairleadError {
  override name = 'SubAccountNotFoundError'
}

/** 409: As many messages of the conversation wait to be sent as may. Wait until they are sent; the conversation shows what became of them. */
export class TooManyWaitingError extends FairleadError {
  override name = 'TooManyWaitingError'
}

/** 502: Five attempts have failed for reasons that were nobody’s fault; what was paid is given back. Call again with a new Idempotency-Key. */
export class TransientFailureError extends FairleadError {
  override name = 'TransientFailureError'
}

/** 409: During its free trial a sub-account has WhatsApp alone. Ask for no other channel until the trial has ended. */
export class TrialChannelLockedError extends FairleadError {
  override name = 'TrialChannelLockedError'
}

/** 401: The token is missing, unknown or revoked, or it is not one of the agency in the address. Send one of this agency's tokens as `Authorization: Bearer <token>`. */
export class UnauthorizedError extends FairleadError {
  override name = 'UnauthorizedError'
}

/** 415: The body is not JSON in UTF-8 by its Content-Type, or its Content-Encoding is not supported. Send JSON with `Content-Type: application/json`. */
export class UnsupportedMediaTypeError extends FairleadError {
  override name = 'UnsupportedMediaTypeError'
}

/** 400: Something in the request is missing, malformed or out of range. Correct the fields named in `details` and send the request again. */
export class ValidationError extends FairleadError {
  override name = 'ValidationError'
}

/** 409: The person has not written within the last 24 hours, so the provider takes no free text. Wait until the person writes, or have an AI employee begin the conversation with its approved template. */
export class WindowClosedError extends FairleadError {
  override name = 'WindowClosedError'
}

/** The class of each code. */
export const CLASSES = {
  ACTION_NOT_AVAILABLE: ActionNotAvailableError,
  ACTION_NOT_POSSIBLE: ActionNotPossibleError,
  AGENT_PAUSED: AgentPausedError,
  AGENT_UNAVAILABLE: AgentUnavailableError,
  CHANNEL_UNAVAILABLE: ChannelUnavailableError,
  CONTACT_UNREACHABLE: ContactUnreachableError,
  DUPLICATE_ERROR: DuplicateError,
  EMAIL_ALREADY_REGISTERED: EmailAlreadyRegisteredError,
  EVENT_NOT_FOUND: EventNotFoundError,
  EXTERNAL_REF_ALREADY_USED: ExternalRefAlreadyUsedError,
  IDEMPOTENCY_IN_PROGRESS: IdempotencyInProgressError,
  IDEMPOTENCY_KEY_REUSED: IdempotencyKeyReusedError,
  INSUFFICIENT_PERMISSIONS: InsufficientPermissionsError,
  INTERNAL_ERROR: InternalError,
  INVALID_API_KEY: InvalidApiKeyError,
  INVALID_CHANNELS: InvalidChannelsError,
  INVALID_EXTERNAL_REF: InvalidExternalRefError,
  INVALID_SCOPE: InvalidScopeError,
  LIMIT_REACHED: LimitReachedError,
  METHOD_NOT_ALLOWED: MethodNotAllowedError,
  MISSING_API_KEY: MissingApiKeyError,
  MISSING_FIELDS: MissingFieldsError,
  NOT_FOUND: NotFoundError,
  NO_PAYMENT_METHOD: NoPaymentMethodError,
  PAYLOAD_TOO_LARGE: PayloadTooLargeError,
  RATE_LIMIT_EXCEEDED: RateLimitExceededError,
  RATE_LIMIT_SUBACCOUNT_CREATE: RateLimitSubaccountCreateError,
  RESOURCE_DELETED: ResourceDeletedError,
  SEAT_CHARGE_FAILED: SeatChargeFailedError,
  SERVICE_UNAVAILABLE: ServiceUnavailableError,
  SUB_ACCOUNT_FORBIDDEN: SubAccountForbiddenError,
  SUB_ACCOUNT_NOT_FOUND: SubAccountNotFoundError,
  TOO_MANY_WAITING: TooManyWaitingError,
  TRANSIENT_FAILURE: TransientFailureError,
  TRIAL_CHANNEL_LOCKED: TrialChannelLockedError,
  UNAUTHORIZED: UnauthorizedError,
  UNSUPPORTED_MEDIA_TYPE: UnsupportedMediaTypeError,
  VALIDATION_ERROR: ValidationError,
  WINDOW_CLOSED: WindowClosedError,
} as const

/** A code that the service answers with. */
export type ErrorCode = keyof typeof CLASSES
