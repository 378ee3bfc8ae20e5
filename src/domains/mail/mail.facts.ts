import { defineFact } from '../../database/index.js'

/** A contact wants no mail any more, by a link in one, or by the account's own word. */
export const contactUnsubscribed = defineFact<{ contactId: string }>('contactUnsubscribed', 'contactId')
