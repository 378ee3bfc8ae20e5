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

/** That another worker has taken the event over in the meantime: what this one is about to do must not happen. */
export class TakenOver extends Error {}

/** That the event waits for its turn behind others of its sub-account. */
export class Queued extends Error {}
