import { defineFact } from '../../database/index.js'

/** A user who did not work for a while works again. */
export const userActivated = defineFact<{ userId: string }>('userActivated', 'userId')

/** A user works no longer, for now. */
export const userDeactivated = defineFact<{ userId: string }>('userDeactivated', 'userId')

/** A user was removed: it works no longer, and its record stays for what names it. */
export const userRemoved = defineFact<{ userId: string }>('userRemoved', 'userId')
