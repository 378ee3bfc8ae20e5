import { defineFact } from '../../database/index.js'

/** An account was created. */
export const accountCreated = defineFact<{ accountId: string }>('accountCreated', 'accountId')
