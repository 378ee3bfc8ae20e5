import { errorKinds } from '../../shared/errors.js'

/** Why an agent does not do what it was told to, though nothing is wrong with the request. */
export const ERRAND_ERRORS = errorKinds({
  AGENT_PAUSED: {
    status: 409,
    meaning: 'The AI employee is paused: it begins nothing and answers nothing.',
    remedy: 'Have it work again, or tell another one.',
  },
  ACTION_NOT_AVAILABLE: {
    status: 409,
    meaning: 'The AI employee does not have this action.',
    remedy: 'See which actions it has, or give it what the action takes, such as an opening.',
  },
  ACTION_NOT_POSSIBLE: {
    status: 409,
    meaning: 'The action cannot be carried out with this contact now; the message says what is in the way.',
    remedy: 'Do away with what is in the way, such as a missing phone number, and try again.',
  },
})
