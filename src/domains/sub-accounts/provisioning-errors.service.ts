import type { ErrorExample } from '../../kit/documentation.js'
import { errorKinds } from '../../shared/errors.js'

/** How calls about sub-accounts can end that have nothing to do with the input's form; the codes are the reference's. */
export const PROVISIONING_ERRORS = errorKinds({
  NO_PAYMENT_METHOD: {
    status: 402,
    meaning: 'Channels that cost something were asked for, and the agency has no card on file.',
    remedy: 'Put a card on file, or ask for no channels.',
  },
  SEAT_CHARGE_FAILED: {
    status: 402,
    meaning: 'The card on file was declined; nothing was changed.',
    remedy: 'Put another card on file and call again with a new Idempotency-Key.',
  },
  SUB_ACCOUNT_FORBIDDEN: {
    status: 403,
    meaning: 'The sub-account belongs to another agency.',
    remedy: 'Use an id or an external_ref of your own.',
  },
  SUB_ACCOUNT_NOT_FOUND: {
    status: 404,
    meaning: 'There is no live sub-account with this id or external_ref.',
    remedy: 'Check the reference; a deleted sub-account does not come back.',
  },
  EVENT_NOT_FOUND: {
    status: 404,
    meaning: 'The agency has no event with this id.',
    remedy: 'Use an event_id that a write of this agency returned.',
  },
  EMAIL_ALREADY_REGISTERED: {
    status: 409,
    meaning: 'Somebody in the service has this address already.',
    remedy: 'Use another admin_email.',
  },
  EXTERNAL_REF_ALREADY_USED: {
    status: 409,
    meaning: 'Another live sub-account of the agency has this external_ref.',
    remedy: 'Use another external_ref, or the sub-account that has it.',
  },
  TRIAL_CHANNEL_LOCKED: {
    status: 409,
    meaning: 'During its free trial a sub-account has WhatsApp alone.',
    remedy: 'Ask for no other channel until the trial has ended.',
  },
  RATE_LIMIT_SUBACCOUNT_CREATE: {
    status: 429,
    meaning: 'The agency has created five sub-accounts within an hour.',
    remedy: 'Call again after the seconds in Retry-After; the same Idempotency-Key may be used.',
  },
  TRANSIENT_FAILURE: {
    status: 502,
    meaning: 'Five attempts have failed for reasons that were nobody’s fault; what was paid is given back.',
    remedy: 'Call again with a new Idempotency-Key.',
  },
})

/** What is said with them, by services and by the documentation's examples. */
export const TOLD = {
  NO_PAYMENT_METHOD: 'Channels that cost something need a card on file.',
  SEAT_CHARGE_FAILED: 'The card on file was declined; nothing was changed.',
  SUB_ACCOUNT_FORBIDDEN: 'This sub-account belongs to another agency.',
  SUB_ACCOUNT_NOT_FOUND: 'There is no live sub-account for this reference.',
  EVENT_NOT_FOUND: 'The agency has no such event.',
  EMAIL_ALREADY_REGISTERED: 'Somebody in the service has this admin_email already.',
  EXTERNAL_REF_ALREADY_USED: 'Another live sub-account has this external_ref.',
  TRIAL_CHANNEL_LOCKED: 'During the free trial a sub-account has whatsapp alone.',
  RATE_LIMIT_SUBACCOUNT_CREATE: 'An agency creates at most 5 sub-accounts within an hour.',
  TRANSIENT_FAILURE: 'Five attempts have failed; nothing was changed, and what was paid is given back.',
} satisfies Record<keyof typeof PROVISIONING_ERRORS, string>

/** The errors as the documentation shows them, by code. */
export const ERROR_EXAMPLES: Record<string, ErrorExample> = {
  ...Object.fromEntries(Object.entries(TOLD).map(([code, message]) => [code, { message }])),
  RATE_LIMIT_SUBACCOUNT_CREATE: { message: TOLD.RATE_LIMIT_SUBACCOUNT_CREATE, retry_after: 1260 },
}

/** That another worker has taken the event over in the meantime: what this one is about to do must not happen. */
export class TakenOver extends Error {}

/** That the event waits for its turn behind others of its sub-account. */
export class Queued extends Error {}
