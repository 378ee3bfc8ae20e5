import type { Tally, TallyColumn } from '../../database/index.js'

const pipeline = { name: 'pipeline_id', type: 'uuid' }
const shared = [
  { name: 'owner_user_id', type: 'uuid' },
  { name: 'sector_id', type: 'uuid' },
  { name: 'outcome', type: 'text' },
]
const opportunities = (name: string, dimensions: TallyColumn[]): Tally => ({
  name,
  table: 'opportunity',
  dimensions,
  sums: [{ name: 'value', type: 'numeric' }],
})

/** How many opportunities there are in each place, whose they are, how they stand, and what they are worth. */
export const opportunityTally = opportunities('opportunity', [pipeline, { name: 'stage_id', type: 'uuid' }, ...shared])

/** The same by the day of their creation, in UTC, and without the stage. */
export const opportunityDayTally = opportunities('opportunity_day', [
  { name: 'day', type: 'date', expression: "(r.created_at at time zone 'UTC')::date" },
  pipeline,
  ...shared,
])

/** The same by the month. */
export const opportunityMonthTally = opportunities('opportunity_month', [
  { name: 'month', type: 'date', expression: "date_trunc('month', r.created_at at time zone 'UTC')::date" },
  pipeline,
  ...shared,
])
