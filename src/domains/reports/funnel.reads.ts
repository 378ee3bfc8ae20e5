import { sql } from 'kysely'
import { param, type Scope, ShapedStatement, StatementCache, tableOf } from '../../database/index.js'
import { isUuid } from '../../shared/ids.js'
import { amountOf, centsOf, percentOf } from '../../shared/ratios.js'
import { opportunityTally } from '../opportunities/index.js'
import type { PipelineFunnel } from './funnel.types.js'

interface Row {
  pipelineId: string
  pipelineName: string
  stageId: string | null
  stageName: string
  position: number
  isWonStage: boolean
  isLossStage: boolean
  count: number
  value: string
  lost: number
  fresh: number
}

const statements = new StatementCache<Row>()

/** Which pipelines and whose opportunities. */
export interface FunnelFilter {
  pipelineId?: string | null
  sectorId?: string | null
}

/** What counts of whose opportunities: of a seller's there is no kept total by stage. */
const KEPT = sql`select stage_id, outcome, n, value, fresh from ${sql.table(tableOf(opportunityTally))}`
const OWN = sql`select stage_id, outcome, 1 as n, value, false as fresh from opportunity`

function statementOf(onePipeline: boolean, oneSector: boolean, confined: boolean): ShapedStatement<Row> {
  const ofViewer = confined ? sql`and owner_user_id = ${param('ownerScope')}` : sql``
  const ofSector = oneSector ? sql`and sector_id = ${param('sectorId')}` : sql``
  const ofPipeline = onePipeline ? sql`and pipeline_id = ${param('pipelineId')}` : sql``
  return new ShapedStatement(sql<Row>`select p.id as "pipelineId", p.name as "pipelineName", s.id as "stageId",
      s.name as "stageName", s.position, s.is_win_stage as "isWonStage", s.is_loss_stage as "isLossStage",
      coalesce(t.n, 0)::int as count, coalesce(t.value, 0)::text as value, coalesce(t.lost, 0)::int as lost,
      coalesce(t.fresh, 0)::int as fresh
    from pipeline p
    left join stage s on s.account_id = p.account_id and s.pipeline_id = p.id
    left join (
      select stage_id, sum(n) filter (where outcome <> 'lost') as n,
        sum(value) filter (where outcome <> 'lost') as value, sum(n) filter (where outcome = 'lost') as lost,
        count(*) filter (where fresh) as fresh
      from (${confined ? OWN : KEPT} where account_id = ${param('account')} ${ofPipeline} ${ofSector} ${ofViewer}) o
      group by stage_id) t on t.stage_id = s.id
    where p.account_id = ${param('account')} ${onePipeline ? sql`and p.id = ${param('pipelineId')}` : sql``}
    order by p.display_order, fold(p.name) collate "C", p.id, s.position`)
}

const isGiven = (id: string | null | undefined) => id !== null && id !== undefined

/** No record has it; what cannot be an id stands for it. */
const NO_ID = '00000000-0000-0000-0000-000000000000'

/** What stands in each stage of each pipeline, or of one; in one statement, whatever their number. */
export async function funnelReport(db: Scope, { pipelineId, sectorId }: FunnelFilter): Promise<PipelineFunnel[]> {
  const [onePipeline, oneSector] = [isGiven(pipelineId), isGiven(sectorId)]
  if (onePipeline && !isUuid(pipelineId)) return []
  const confined = db.viewer.ownerScope !== undefined
  const statement = statements.get(`${onePipeline} ${oneSector} ${confined}`, () =>
    statementOf(onePipeline, oneSector, confined),
  )
  const rows = await db.rows(statement, { pipelineId, sectorId: isUuid(sectorId) ? sectorId : NO_ID })
  db.readTally(
    opportunityTally,
    rows.reduce((sum, { fresh }) => sum + fresh, 0),
  )
  return [...Map.groupBy(rows, (row) => row.pipelineId).values()].map(funnelOf)
}

function funnelOf(rows: Row[]): PipelineFunnel {
  const { pipelineId, pipelineName } = rows[0]!
  const stages = rows.filter(({ stageId }) => stageId !== null)
  return {
    pipelineId,
    pipelineName,
    lostCount: stages.reduce((sum, { lost }) => sum + lost, 0),
    stages: stages.map(({ stageId, stageName, position, isWonStage, isLossStage, count, value }, index) => ({
      stageId: stageId!,
      ...{ stageName, position, isWonStage, isLossStage, count },
      value: amountOf(centsOf(value)),
      conversionFromPrevious: index === 0 ? null : percentOf(count, stages[index - 1]!.count),
    })),
  }
}
