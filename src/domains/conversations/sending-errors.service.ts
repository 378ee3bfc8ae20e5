import { errorKinds } from '../../shared/errors.js'

/** Why a message cannot be sent in a conversation now, though nothing is wrong with it; what helps is said with each. */
export const SENDING_ERRORS = errorKinds({
  CHANNEL_UNAVAILABLE: {
    status: 409,
    meaning: 'The conversation goes through no channel account that works: it is disconnected, or no seat covers it.',
    remedy: 'Connect the channel account again, or have a seat for it, and send the message anew.',
  },
  CONTACT_UNREACHABLE: {
    status: 409,
    meaning: 'Nobody is there to send to: the contact was deleted, or has no address on this channel.',
    remedy: 'Give the contact a phone number, or write to another contact.',
  },
  WINDOW_CLOSED: {
    status: 409,
    meaning: 'The person has not written within the last 24 hours, so the provider takes no free text.',
    remedy: 'Wait until the person writes, or have an AI employee begin the conversation with its approved template.',
  },
  TOO_MANY_WAITING: {
    status: 409,
    meaning: 'As many messages of the conversation wait to be sent as may.',
    remedy: 'Wait until they are sent; the conversation shows what became of them.',
  },
})
