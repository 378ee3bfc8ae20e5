import { type RawBuilder, sql } from 'kysely'
import { param } from '../../database/index.js'
import type { TargetStage } from './opportunity-lookup.service.js'

/** Timestamps that a stage sets by its `lifecycle` alone; winning and losing go by its flags. */
export const LIFECYCLE = ['sent', 'accepted', 'qualifying_started', 'qualified', 'scheduled'] as const

/** The instant `at` when the stage sets this timestamp, else null. */
export function enteredAt(lifecycle: (typeof LIFECYCLE)[number]): RawBuilder<unknown> {
  return sql`case when ${param('lifecycle')}::text = ${sql.lit(lifecycle)} then at end`
}

/** A stage as the values of a statement that puts an opportunity into it. */
export function stageValues({ id, name, pipelineId, lifecycle, isWinStage, isLossStage }: TargetStage) {
  return { stageId: id, stageName: name, pipelineId, lifecycle, isWinStage, isLossStage }
}
