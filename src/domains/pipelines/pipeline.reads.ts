import { sql } from 'kysely'
import { owned, Reads } from '../../kit/reads/index.js'
import { Pipeline, Stage } from './pipeline.entity.js'

/** A stage as a read brings it. */
export type StageRow = Omit<Stage, 'accountId'>

/** A pipeline as a read brings it, with its stages when they were asked for. */
export type PipelineRow = Omit<Pipeline, 'accountId'> & { stages?: StageRow[] }

/** The reads of pipelines. */
export const pipelineReads = new Reads<PipelineRow>({
  entity: Pipeline,
  children: { stages: owned(Stage, 'pipelineId', 'position') },
  sorts: { display_order: 'displayOrder' },
})

/** The reads of stages. */
export const stageReads = new Reads<StageRow>({ entity: Stage, sorts: { position: 'position' } })

/** All pipelines of the account by their place and then their name, in one statement. */
export const listPipelines = pipelineReads.inOrder(sql`order by r.display_order, fold(r.name) collate "C", r.id`)
