import type { Tally } from '../../database/index.js'

/** How many opportunities there are in each place, whose they are, how they stand, and what they are worth. */
export const opportunityTally: Tally = {
  name: 'opportunity',
  table: 'opportunity',
  dimensions: [
    { name: 'pipeline_id', type: 'uuid' },
    { name: 'stage_id', type: 'uuid' },
    { name: 'owner_user_id', type: 'uuid' },
    { name: 'sector_id', type: 'uuid' },
    { name: 'outcome', type: 'text' },
  ],
  sums: [{ name: 'value', type: 'numeric' }],
}
