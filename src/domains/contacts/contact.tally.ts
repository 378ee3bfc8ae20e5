import type { Tally } from '../../database/index.js'

/** How many contacts each account has. */
export const contactTally: Tally = { name: 'contact', table: 'contact', dimensions: [], sums: [] }
