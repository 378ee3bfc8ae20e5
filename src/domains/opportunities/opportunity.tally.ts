import type { Tally, TallyColumn } from '../../database/index.js'

const pipeline = { name: 'pipeline_id', type: 'uuid' }
const owner = { name: 'owner_user_id', type: 'uuid' }
const sector = { name: 'sector_id', type: 'uuid' }
const outcome = { name: 'outcome', type: 'text' }

// Few combinations each, so that what is asked of them is a short sum: hence two, and not one with all dimensions.
const opportunities = (name: string, ...dimensions: TallyColumn[]): Tally => ({
  name,
  table: 'opportunity',
  dimensions,
  sums: [{ name: 'value', type: 'numeric' }],
})

/** How many opportunities stand in each stage, and what they are worth. */
export const opportunityTally = opportunities(
  'opportunity',
  pipeline,
  { name: 'stage_id', type: 'uuid' },
  sector,
  outcome,
)

/** How many opportunities each user owns, and what they are worth. */
export const opportunityOwnerTally = opportunities('opportunity_owner', pipeline, owner, sector, outcome)

/** The same by the day of their creation, in UTC. */
export const opportunityDayTally = opportunities(
  'opportunity_day',
  { name: 'day', type: 'date', expression: "(r.created_at at time zone 'UTC')::date" },
  pipeline,
  owner,
  sector,
  outcome,
)

/** The same by the month. */
export const opportunityMonthTally = opportunities(
  'opportunity_month',
  { name: 'month', type: 'date', expression: "date_trunc('month', r.created_at at time zone 'UTC')::date" },
  pipeline,
  owner,
  sector,
  outcome,
)
