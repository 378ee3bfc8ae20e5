import { type RawBuilder, sql } from 'kysely'
import { columnOf, iso, param, type Scope, Statement } from '../../database/index.js'
import type { Selection } from '../../kit/selection.js'
import { isUuid } from '../../shared/ids.js'
import type { Pipeline, Stage } from './pipeline.entity.js'

/** A stage as a read brings it. */
export type StageRow = Omit<Stage, 'accountId'>

/** A pipeline as a read brings it, with its stages when they were asked for. */
export type PipelineRow = Omit<Pipeline, 'accountId'> & { stages?: StageRow[] }

const PIPELINE = [
  'id',
  'name',
  'description',
  'color',
  'icon',
  'isDefault',
  'isActive',
  'displayOrder',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof PipelineRow)[]

const STAGE = [
  'id',
  'pipelineId',
  'name',
  'color',
  'position',
  'isWinStage',
  'isLossStage',
  'lifecycle',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof StageRow)[]

const columns = (alias: string, names: readonly string[]) =>
  sql.join(names.map((name) => sql`${sql.ref(`${alias}.${columnOf(name)}`)} as ${sql.ref(name)}`))

/** The columns of a pipeline `p`. */
export const pipelineColumns = columns('p', PIPELINE)

/** The columns of a stage `s`. */
export const stageColumns = columns('s', STAGE)

const stageMembers = STAGE.flatMap((name) => {
  const column = `s.${columnOf(name)}`
  return [sql.lit(name), name.endsWith('At') ? iso(column) : sql.ref(column)]
})

/** The stages of a pipeline `p` in their order, as JSON. */
export const stagesOf: RawBuilder<StageRow[]> = sql`(select coalesce(json_agg(json_build_object(
    ${sql.join(stageMembers)}) order by s.position), '[]')
  from stage s where s.account_id = p.account_id and s.pipeline_id = p.id)`

function reading(condition: RawBuilder<unknown>) {
  const statement = (withStages: boolean) =>
    new Statement<PipelineRow>(
      sql<PipelineRow>`select ${pipelineColumns} ${withStages ? sql`, ${stagesOf} as stages` : sql``}
        from pipeline p where p.account_id = ${param('account')} ${condition}`,
      { prepared: true },
    )
  return { bare: statement(false), whole: statement(true) }
}

const all = reading(sql`order by p.display_order, fold(p.name) collate "C", p.id`)
const one = reading(sql`and p.id = ${param('id')}`)

/** All pipelines of the account in their order, in one statement. */
export function listPipelines(db: Scope, selection: Selection): Promise<PipelineRow[]> {
  return db.rows(selection.has('stages') ? all.whole : all.bare, {})
}

/** One pipeline of the account; undefined where there is none. */
export async function getPipeline(db: Scope, id: string, selection: Selection): Promise<PipelineRow | undefined> {
  if (!isUuid(id)) return undefined
  return (await db.rows(selection.has('stages') ? one.whole : one.bare, { id }))[0]
}

const stage = new Statement<StageRow>(
  sql<StageRow>`select ${stageColumns} from stage s where s.account_id = ${param('account')} and s.id = ${param('id')}`,
  { prepared: true },
)

/** One stage of the account; undefined where there is none. */
export async function getStage(db: Scope, id: string): Promise<StageRow | undefined> {
  return isUuid(id) ? (await db.rows(stage, { id }))[0] : undefined
}
