import type { Tally } from '../../database/index.js'

/** How many conversations each account has. */
export const conversationTally: Tally = { name: 'conversation', table: 'conversation', dimensions: [], sums: [] }
