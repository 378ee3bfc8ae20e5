import { fileURLToPath } from 'node:url'
import type { AgencyAction } from '../domains/sub-accounts/index.js'
import type { Api } from '../rest/index.js'
import { errorKinds } from '../shared/errors.js'

const OWN = errorKinds({
  UNAUTHORIZED: {
    status: 401,
    meaning: 'The token is missing, unknown or revoked, or it is not one of the agency in the address.',
    remedy: "Send one of this agency's tokens as `Authorization: Bearer <token>`.",
  },
  INVALID_SCOPE: {
    status: 403,
    meaning: 'The token lacks the scope that the call needs.',
    remedy: 'Use a token that has the scope named in the message.',
  },
  MISSING_FIELDS: {
    status: 400,
    meaning: 'A mandatory field is missing, null or empty.',
    remedy: 'Send the fields named in `details`.',
  },
  INVALID_EXTERNAL_REF: {
    status: 400,
    meaning: 'The external_ref is no text of 1 to 120 characters without control characters.',
    remedy: 'Send another one, or none.',
  },
  INVALID_CHANNELS: {
    status: 400,
    meaning: 'There is an unknown channel, or a number of seats that is no integer from 0 to 100.',
    remedy: 'Correct the channels named in `details`.',
  },
})

/** What the operations of agencies do, as their events tell it. */
export const AGENCY_ACTIONS: Readonly<Record<string, AgencyAction>> = {
  CreateSubAccount: 'sub_account.create',
  UpdateSubAccountChannels: 'sub_account.channels.update',
  DeleteSubAccount: 'sub_account.delete',
}

/** The API that agencies' programs call, with a token of the agency that stands in the address. */
export const AGENCY: Api = {
  name: 'agency',
  base: '/api/webhooks/agency',
  operations: fileURLToPath(new URL('../../schema/operations/agency', import.meta.url)),
  success: { ok: true },
  failure: { ok: false },
  renamed: {
    MISSING_API_KEY: OWN.UNAUTHORIZED,
    INVALID_API_KEY: OWN.UNAUTHORIZED,
    INSUFFICIENT_PERMISSIONS: OWN.INVALID_SCOPE,
  },
  inputErrors: [
    { error: OWN.MISSING_FIELDS, missing: true },
    {
      error: OWN.INVALID_EXTERNAL_REF,
      field: 'external_ref',
      example: { field: 'external_ref', message: 'must have at most 120 characters' },
    },
    {
      error: OWN.INVALID_CHANNELS,
      field: 'channels',
      example: { field: 'channels.linkedin', message: 'must be from 0 to 100' },
    },
  ],
  owner: {
    name: 'agency_key',
    description: 'The key of the agency, which is no secret; the token must be one of this agency.',
    example: 'ag_0f6f0f5b8a113f0c2d3e6f4b',
  },
  booked: {
    name: 'event_id',
    description: 'The id of the event that tells of the call; GET …/events/{event_id} has it.',
  },
  challenge: 'Bearer realm="fairlead-agency"',
  admissionErrors: [OWN.UNAUTHORIZED, 'RATE_LIMIT_EXCEEDED'],
  shows: {},
  document: {
    path: '/openapi/agency.json',
    title: 'Fairlead agency API',
    description:
      "Creates the sub-accounts of an agency's clients, gives them seats in channels, and ends them. Every call carries a " +
      'token of the agency that stands in the address.\n\n' +
      '**Events.** Every write is an event, whose id is in the answer as `event_id`, be it a success or a failure; what is ' +
      'refused with 401 or 403 INVALID_SCOPE leaves none. A write that cannot be finished at once is answered 202 with ' +
      '`{"status": "pending"}`, and goes on: ask for its event to learn how it ended. Writes of one sub-account happen one ' +
      'after the other, in the order in which they came.\n\n' +
      '**Repeats.** With an `Idempotency-Key` a call happens once: a repeat is answered as the first was, failures too, but ' +
      'for 429, after which it is tried again. A temporary password is told only once; where it cannot be, since the ' +
      'creation was finished later, the admin gets a one-time link by mail.\n\n' +
      '**Charges.** More billable seats are charged to the card on file at once, for the rest of the cycle; fewer give no ' +
      'credit. What is below the smallest charge of the currency waits on the balance for the next one.',
    info: { license: { name: 'MIT', identifier: 'MIT' }, contact: { name: 'Fairlead' } },
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: "One of the agency's tokens." },
    },
    errorExamples: {
      UNAUTHORIZED: () => ({ message: 'This token is unknown, malformed, revoked or of another agency.' }),
      RATE_LIMIT_EXCEEDED: () => ({
        message: 'Too many wrong credentials came from your address; try again in 420 seconds.',
        retry_after: 420,
      }),
      INVALID_SCOPE: (scope) => ({ message: `This token lacks the scope ${scope}.` }),
    },
    callerHeaders: {},
  },
}
