import type { Tally } from '../../database/index.js'

/** How many contacts stand in each flow in each way. */
export const enrollmentTally: Tally = {
  name: 'flow_enrollment',
  table: 'flow_enrollment',
  dimensions: [
    { name: 'flow_id', type: 'uuid' },
    { name: 'state', type: 'varchar(16)' },
  ],
  sums: [],
}
