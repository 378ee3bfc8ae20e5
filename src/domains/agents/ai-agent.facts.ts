import { defineFact } from '../../database/index.js'

/** An agent is about to be deleted, if the account has it: nothing is to begin with it any more. */
export const agentDeleted = defineFact<{ agentId: string }>('agentDeleted', 'agentId')
