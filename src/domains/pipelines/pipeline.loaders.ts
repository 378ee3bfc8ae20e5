import { sql } from 'kysely'
import { loaderOf, param, partLoaderOf, Statement } from '../../database/index.js'
import { type PipelineRow, pipelineColumns, type StageRow, stageColumns, stagesOf } from './pipeline.reads.js'

const pipelines = new Statement<PipelineRow>(
  sql<PipelineRow>`select ${pipelineColumns} from pipeline p
    where p.account_id = ${param('account')} and p.id = any(${param('ids')}::uuid[])`,
  { prepared: true },
)
const stages = new Statement<StageRow>(
  sql<StageRow>`select ${stageColumns} from stage s
    where s.account_id = ${param('account')} and s.id = any(${param('ids')}::uuid[])`,
  { prepared: true },
)

/** A loader of pipelines by id. */
export const pipelineLoader = loaderOf(pipelines)

/** A loader of stages by id. */
export const stageLoader = loaderOf(stages)

/** A loader of the stages of pipelines that were reached without them, in their order. */
export const stagesLoader = partLoaderOf<StageRow[]>('pipeline', 'p', stagesOf, [])
