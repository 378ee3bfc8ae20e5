import { type ApiContract, type Contract, orNull, type Shape, toBeSent } from './contract.js'
import { AGENCY_API } from './openapi.js'

// Kept by hand from the customer's reference ("Agency inbound API", "Sub-account", "Agency event", "Errors", "Limits") and
// from our decisions ("Agency API"), in the notation of test/support/contract.ts, and never from the code.

/** Seats that are asked for: integers from 0 to 100. */
const SEATS = 'integer 0..100'
const ASKED = { linkedin: SEATS, whatsapp: SEATS, instagram: SEATS, email_marketing: SEATS }
const CHANNELS = { linkedin: 'integer', whatsapp: 'integer', instagram: 'integer', email_marketing: 'integer' }

const SUB_ACCOUNT: Record<string, Shape> = {
  id: 'string',
  name: 'string',
  slug: 'string',
  external_ref: 'string?',
  created_at: 'time',
  admin: { id: 'string', email: 'string' },
  channels: CHANNELS,
  billing: {
    invoiceStatus: 'string',
    totalCents: 'integer',
    currency: 'string',
    periodEnd: 'time',
    items: [{ channelType: 'string', count: 'integer' }],
  },
  trial: orNull({ status: 'string', ends_at: 'time', channels: ['string'] }),
}

/** Every write returns the id of its event, and may be told that it is not done yet. */
const written = (data: Shape) => ({ event_id: 'string', data })
const LATER = written({ status: 'pending' })

const create: Contract = {
  id: 'createSubAccount',
  route: 'POST /:agency_key/sub-accounts',
  permission: 'sub_account.create',
  path: ['agency_key'],
  body: {
    name: 'string(255)!',
    admin_email: 'string(320)!',
    admin_name: 'string(255)?',
    external_ref: 'string(120)?',
    channels: orNull(ASKED),
    include_credentials: 'boolean?',
  },
  status: 201,
  answer: written({ ...SUB_ACCOUNT, 'temporary_password?': 'string' }),
  later: LATER,
  errors: [
    ...['MISSING_FIELDS', 'INVALID_EXTERNAL_REF', 'INVALID_CHANNELS'],
    ...['NO_PAYMENT_METHOD', 'SEAT_CHARGE_FAILED'],
    ...['EMAIL_ALREADY_REGISTERED', 'EXTERNAL_REF_ALREADY_USED', 'RATE_LIMIT_SUBACCOUNT_CREATE'],
    'RESOURCE_DELETED', // a repeat, after what it created was deleted
  ],
}

const channels = (method: string, id: string): Contract => ({
  id,
  route: `${method} /:agency_key/sub-accounts/:ref/channels`,
  permission: 'sub_account.channels',
  path: ['agency_key', 'ref'],
  body: { channels: toBeSent(ASKED) },
  status: 200,
  answer: written({
    id: 'string',
    channels: CHANNELS,
    delta_channels: 'integer',
    seat_charge: orNull({ ok: 'boolean', paid: 'boolean', chargedCents: 'integer', addedChannels: 'integer' }),
  }),
  later: LATER,
  errors: [
    ...['MISSING_FIELDS', 'INVALID_CHANNELS', 'SEAT_CHARGE_FAILED'],
    ...['SUB_ACCOUNT_FORBIDDEN', 'SUB_ACCOUNT_NOT_FOUND', 'TRIAL_CHANNEL_LOCKED'],
  ],
})

const remove: Contract = {
  id: 'deleteSubAccount',
  route: 'DELETE /:agency_key/sub-accounts/:ref',
  permission: 'sub_account.delete',
  path: ['agency_key', 'ref'],
  status: 200,
  answer: written({ id: 'string', deleted_at: 'time' }),
  later: LATER,
  errors: ['SUB_ACCOUNT_FORBIDDEN', 'SUB_ACCOUNT_NOT_FOUND'],
}

const event: Contract = {
  id: 'getAgencyEvent',
  route: 'GET /:agency_key/events/:event_id',
  path: ['agency_key', 'event_id'],
  status: 200,
  answer: {
    data: {
      id: 'string',
      action: 'string',
      status: 'pending|processing|processed|failed|ignored',
      attempts: 'integer',
      target_account_id: 'string?',
      result: 'object?',
      error_code: 'string?',
      last_error: 'string?',
      received_at: 'time',
      last_attempt_at: 'time?',
      processed_at: 'time?',
    },
  },
  errors: ['EVENT_NOT_FOUND'],
}

/** Every write takes an Idempotency-Key, deletions too. */
const isIdempotent = (route: string) => !route.startsWith('GET ')

/** The contract of the agencies' API. */
export const AGENCY_CONTRACT: ApiContract = {
  api: AGENCY_API,
  envelope: 'ok',
  endpoints: [
    create,
    channels('PUT', 'updateSubAccountChannels'),
    channels('POST', 'updateSubAccountChannelsByPost'),
    remove,
    event,
  ],
  open: [],
  openMembers: {},
  isIdempotent,
  codesOf: ({ route, permission, body, errors = [] }) => [
    ...['VALIDATION_ERROR', 'UNAUTHORIZED'],
    ...(permission ? ['INVALID_SCOPE'] : []),
    ...(body ? ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] : []),
    ...(isIdempotent(route) ? ['IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED', 'TRANSIENT_FAILURE'] : []),
    ...errors,
    // Who has been refused too often at an address waits, whatever they call.
    ...['RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'],
  ],
  statusOf: {
    VALIDATION_ERROR: 400,
    MISSING_FIELDS: 400,
    INVALID_EXTERNAL_REF: 400,
    INVALID_CHANNELS: 400,
    UNAUTHORIZED: 401,
    NO_PAYMENT_METHOD: 402,
    SEAT_CHARGE_FAILED: 402,
    INVALID_SCOPE: 403,
    SUB_ACCOUNT_FORBIDDEN: 403,
    SUB_ACCOUNT_NOT_FOUND: 404,
    EVENT_NOT_FOUND: 404,
    EMAIL_ALREADY_REGISTERED: 409,
    EXTERNAL_REF_ALREADY_USED: 409,
    IDEMPOTENCY_IN_PROGRESS: 409,
    TRIAL_CHANNEL_LOCKED: 409,
    RESOURCE_DELETED: 410,
    PAYLOAD_TOO_LARGE: 413,
    UNSUPPORTED_MEDIA_TYPE: 415,
    IDEMPOTENCY_KEY_REUSED: 422,
    RATE_LIMIT_EXCEEDED: 429,
    RATE_LIMIT_SUBACCOUNT_CREATE: 429,
    INTERNAL_ERROR: 500,
    TRANSIENT_FAILURE: 502,
    SERVICE_UNAVAILABLE: 503,
  },
}
