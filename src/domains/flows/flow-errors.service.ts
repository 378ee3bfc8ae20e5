import { AppError, errorKinds } from '../../shared/errors.js'

/** What flows refuse beside what everything does. */
export const FLOW_ERRORS = errorKinds({
  WRONG_STATE: {
    status: 409,
    meaning: 'The flow, or the enrollment, is in a state in which that cannot be done.',
    remedy: 'Look at its state, which the message tells, and do first what leads from there.',
  },
})

/** WRONG_STATE with a sentence. */
export const wrongState = (message: string): AppError => new AppError(FLOW_ERRORS.WRONG_STATE, message)
