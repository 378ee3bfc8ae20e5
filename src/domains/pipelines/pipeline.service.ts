import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { isReferredTo, oneAtATime, param, type Scope, Statement } from '../../database/index.js'
import { tellChange, tellUpdate } from '../../kit/changes.js'
import type { DeletedRecord } from '../../kit/deleted.js'
import type { Selection } from '../../kit/selection.js'
import { AppError, type Fault, invalid, notFound } from '../../shared/errors.js'
import { given } from '../../shared/given.js'
import { aiAgentReads } from '../agents/index.js'
import { addDefaultStages } from './default-pipeline.service.js'
import { wholeOrder } from './order.service.js'
import { Pipeline, Stage } from './pipeline.entity.js'
import type { CreatePipelineInput, StageInput, UpdatePipelineInput } from './pipeline.inputs.js'
import { listPipelines, type PipelineRow, pipelineReads } from './pipeline.reads.js'
import { RoundRobinRule } from './round-robin.entity.js'
import { effectOf, MAX_STAGES } from './stage-rules.service.js'

/** Pipelines that an account has at most. */
export const MAX_PIPELINES = 100

/** All pipelines of the account, while no other transaction changes which there are or which is the default one. */
function lockAll(em: EntityManager, db: Scope): Promise<Pipeline[]> {
  oneAtATime(db, 'pipelines')
  return em.find(Pipeline, { accountId: db.accountId })
}

/** Creates a pipeline with the given stages, or with those of a new account's pipeline; the last in the list unless said. */
export function createPipeline(db: Scope, input: CreatePipelineInput, selection: Selection): Promise<PipelineRow> {
  return db.unitOfWork(async (em) => {
    const present = await lockAll(em, db)
    const { stages, isDefault = false, ...fields } = input
    const faults: Fault[] = []
    if (present.length >= MAX_PIPELINES) {
      faults.push({ path: ['input'], message: `an account has at most ${MAX_PIPELINES} pipelines` })
    }
    if (isDefault && fields.isActive === false) faults.push(INACTIVE_DEFAULT)
    faults.push(...(await agentFaults(db, fields.entryAgentId)))
    const { accountId } = db
    const displayOrder = fields.displayOrder ?? Math.max(0, ...present.map((one) => one.displayOrder)) + 1
    const pipeline = em.create(Pipeline, { ...fields, accountId, displayOrder })
    if (stages && stages.length > 0) addStages(em, pipeline, stages, faults)
    else addDefaultStages(em, pipeline)
    if (faults.length > 0) throw invalid(faults)
    if (isDefault) await makeDefault(em, pipeline, present)
    await em.flush()
    await tellChange(db, 'pipeline', pipeline.id, 'created')
    db.wrote(pipeline.id)
    return (await pipelineReads.find(db, pipeline.id, selection))!
  })
}

function addStages(em: EntityManager, pipeline: Pipeline, stages: readonly StageInput[], faults: Fault[]): void {
  if (stages.length > MAX_STAGES) {
    faults.push({ path: ['input', 'stages'], message: `a pipeline has at most ${MAX_STAGES} stages` })
    return
  }
  for (const [i, { name, color, ...effect }] of stages.entries()) {
    const found = effectOf(effect, ['input', 'stages', i], faults)
    const { id: pipelineId, accountId } = pipeline
    em.create(Stage, { name, color, ...found, accountId, pipelineId, position: i + 1 })
  }
}

const INACTIVE_DEFAULT: Fault = { path: ['input', 'isActive'], message: 'the default pipeline must be active' }

/** Only one may be the default at any moment, so the present one steps back first. */
async function makeDefault(em: EntityManager, pipeline: Pipeline, present: readonly Pipeline[]): Promise<void> {
  for (const other of present) other.isDefault = false
  await em.flush()
  pipeline.isDefault = true
}

async function agentFaults(db: Scope, id: string | null | undefined): Promise<Fault[]> {
  if (!id || (await aiAgentReads.find(db, id))) return []
  return [{ path: ['input', 'entryAgentId'], message: 'must be an agent of the account' }]
}

/** Changes the given fields of a pipeline; one that is made the default takes that from the other. */
export function updatePipeline(
  db: Scope,
  id: string,
  input: UpdatePipelineInput,
  selection: Selection,
): Promise<PipelineRow> {
  return db.unitOfWork(async (em) => {
    const present = await lockAll(em, db)
    const pipeline = present.find((one) => one.id === id.toLowerCase())
    if (!pipeline) throw notFound('pipeline')
    const { isDefault, ...fields } = input
    const faults: Fault[] = []
    if (isDefault === false && pipeline.isDefault) {
      faults.push({ path: ['input', 'isDefault'], message: 'make another pipeline the default one instead' })
    }
    faults.push(...(await agentFaults(db, fields.entryAgentId)))
    if ((isDefault ?? pipeline.isDefault) && !(fields.isActive ?? pipeline.isActive)) faults.push(INACTIVE_DEFAULT)
    if (faults.length > 0) throw invalid(faults)
    Object.assign(pipeline, given(fields))
    const more = isDefault && !pipeline.isDefault ? ['isDefault'] : []
    await tellUpdate(db, em, 'pipeline', pipeline, more)
    if (isDefault && !pipeline.isDefault) await makeDefault(em, pipeline, present)
    await em.flush()
    db.wrote(pipeline.id)
    return (await pipelineReads.find(db, pipeline.id, selection))!
  })
}

/** Deletes a pipeline with its stages and owner rule; RECORD_IN_USE while opportunities stand in it. */
export function deletePipeline(db: Scope, id: string): Promise<DeletedRecord> {
  return db.unitOfWork(async (em) => {
    const pipeline = (await lockAll(em, db)).find((one) => one.id === id.toLowerCase())
    if (!pipeline) throw notFound('pipeline')
    if (pipeline.isDefault) {
      throw invalid([{ path: ['id'], message: 'is the default pipeline: make another one the default first' }])
    }
    // Its rule before its stages: who creates an opportunity takes a turn by the rule, and then refers to a stage.
    await em.nativeDelete(RoundRobinRule, { pipelineId: pipeline.id, accountId: db.accountId })
    await unlessOccupied('pipeline', () => em.nativeDelete(Pipeline, { id: pipeline.id, accountId: db.accountId }))
    await tellChange(db, 'pipeline', pipeline.id, 'deleted')
    return { id: pipeline.id, deleted: true }
  })
}

/** Deletes something that opportunities may stand in; their references decide, also beside one that is just created. */
export async function unlessOccupied<T>(what: string, remove: () => Promise<T>): Promise<T> {
  try {
    return await remove()
  } catch (error) {
    if (!isReferredTo(error)) throw error
    throw new AppError('RECORD_IN_USE', `Opportunities stand in this ${what}.`) // without a cause that would be tried again
  }
}

const order = new Statement<{ id: string }>(
  sql<{ id: string }>`update pipeline p set display_order = o.place
    from unnest(${param('ids')}::uuid[]) with ordinality o (id, place)
    where p.account_id = ${param('account')} and p.id = o.id and p.display_order <> o.place
    returning p.id`,
)

/** Puts the pipelines into this order: all of them, each once. */
export function reorderPipelines(db: Scope, given: readonly string[], selection: Selection): Promise<PipelineRow[]> {
  return db.unitOfWork(async (em) => {
    const present = new Set((await lockAll(em, db)).map(({ id }) => id))
    const ids = wholeOrder(given, present, 'ids', 'pipeline')
    for (const { id } of await db.rows(order, { ids })) {
      await tellChange(db, 'pipeline', id, 'updated', ['displayOrder'])
    }
    for (const id of ids) db.wrote(id)
    return listPipelines(db, selection)
  })
}
