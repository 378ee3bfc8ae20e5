import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { type Fault, invalid } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { type StageRow, stageColumns } from './pipeline.reads.js'

/** Where somebody wants an opportunity to stand; with neither, it is the default pipeline. */
export interface WantedPlace {
  pipelineId?: string | null
  stageId?: string | null
}

/** Where an opportunity stands. */
export interface Place {
  pipelineId: string
  pipelineName: string
  stage: StageRow
}

type Found = StageRow & { pipelineName: string; pipelineKnown: boolean }

const pipelineId = sql`${param('pipelineId')}::uuid`
const stageId = sql`${param('stageId')}::uuid`

// The row is there even when no stage is, to tell whether the pipeline is known.
const place = new Statement<Found>(
  sql<Found>`select found.*, exists (select from pipeline p
      where p.account_id = ${param('account')} and p.id = ${pipelineId}) as "pipelineKnown"
    from (select) one left join lateral (
      select ${stageColumns}, p.name as "pipelineName"
      from stage s join pipeline p on p.account_id = s.account_id and p.id = s.pipeline_id
      where s.account_id = ${param('account')} and case
        when ${stageId} is not null then s.id = ${stageId}
        when ${pipelineId} is not null then s.pipeline_id = ${pipelineId}
        else p.is_default end
      order by s.position limit 1) found on true`,
  { prepared: true },
)

/**
 * Where an opportunity goes: into the given stage, else the first stage of the given pipeline, else the first of the
 * default pipeline. VALIDATION_ERROR that names the field below `path` when the account has no such pipeline or stage, or
 * when they do not belong together.
 */
export async function resolvePlace(db: Scope, wanted: WantedPlace, path: Fault['path'] = ['input']): Promise<Place> {
  const asUuid = (id: string | null | undefined) => (isUuid(id) ? id : null)
  const values = { pipelineId: asUuid(wanted.pipelineId), stageId: asUuid(wanted.stageId) }
  const [found] = await db.rows(place, values)
  const { pipelineName, pipelineKnown, ...stage } = found!
  const faults: Fault[] = []
  if (wanted.pipelineId && !pipelineKnown) {
    faults.push({ path: [...path, 'pipelineId'], message: 'is not the id of a pipeline' })
  }
  if (wanted.stageId && (!values.stageId || !stage.id)) {
    faults.push({ path: [...path, 'stageId'], message: 'is not the id of a stage' })
  }
  if (faults.length === 0 && wanted.pipelineId && stage.pipelineId !== wanted.pipelineId.toLowerCase()) {
    faults.push({ path: [...path, 'stageId'], message: 'does not belong to the pipeline' })
  }
  if (faults.length > 0) throw invalid(faults)
  return { pipelineId: stage.pipelineId, pipelineName, stage }
}
