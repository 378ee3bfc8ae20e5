import type { Tally } from '../../database/index.js'

/** How many contacts each campaign has. */
export const campaignContactTally: Tally = {
  name: 'campaign_contact',
  table: 'campaign_contact',
  dimensions: [{ name: 'campaign_id', type: 'uuid' }],
  sums: [],
}
