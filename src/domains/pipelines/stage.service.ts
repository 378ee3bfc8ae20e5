import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { tellChange, tellUpdate } from '../../kit/changes.js'
import type { DeletedRecord } from '../../kit/deleted.js'
import type { Selection } from '../../kit/selection.js'
import { type Fault, invalid, notFound } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { wholeOrder } from './order.service.js'
import { Stage } from './pipeline.entity.js'
import type { CreateStageInput, UpdateStageInput } from './pipeline.inputs.js'
import { type PipelineRow, pipelineReads, type StageRow, stageReads } from './pipeline.reads.js'
import { unlessOccupied } from './pipeline.service.js'
import { effectOf, MAX_STAGES } from './stage-rules.service.js'

const lock = new Statement<{ id: string }>(
  sql<{ id: string }>`select p.id from pipeline p
    where p.account_id = ${param('account')} and p.id = ${param('id')} for no key update`,
)
const lockByStage = new Statement<{ id: string }>(
  sql<{ id: string }>`select p.id from pipeline p join stage s on s.account_id = p.account_id and s.pipeline_id = p.id
    where p.account_id = ${param('account')} and s.id = ${param('id')} for no key update of p`,
)
const stageIds = new Statement<{ id: string }>(
  sql<{ id: string }>`select s.id from stage s
    where s.account_id = ${param('account')} and s.pipeline_id = ${param('id')} order by s.position`,
)

/** The ids of a pipeline's stages in their order; it is locked, so that changes of stages come one after the other. */
async function lockStages(db: Scope, pipelineId: string): Promise<string[]> {
  const [found] = isUuid(pipelineId) ? await db.rows(lock, { id: pipelineId }) : []
  if (!found) throw notFound('pipeline')
  return (await db.rows(stageIds, { id: pipelineId })).map(({ id }) => id)
}

/** The same of the pipeline that a stage belongs to. */
async function lockSiblings(db: Scope, stageId: string): Promise<{ pipelineId: string; siblings: string[] }> {
  const [found] = isUuid(stageId) ? await db.rows(lockByStage, { id: stageId }) : []
  if (!found) throw notFound('stage')
  const siblings = (await db.rows(stageIds, found)).map(({ id }) => id)
  if (!siblings.includes(stageId.toLowerCase())) throw notFound('stage') // deleted while this waited for the pipeline
  return { pipelineId: found.id, siblings }
}

const place = new Statement<never>(
  sql<never>`update stage s set position = o.place from unnest(${param('ids')}::uuid[]) with ordinality o (id, place)
    where s.account_id = ${param('account')} and s.id = o.id and s.position <> o.place`,
)
const markChanged = new Statement<never>(
  sql<never>`update pipeline p set updated_at = clock_timestamp()
    where p.account_id = ${param('account')} and p.id = ${param('id')}`,
)

/** A pipeline shows its stages, so it has changed when they have. */
function markPipelineChanged(db: Scope, id: string): void {
  db.send(markChanged, { id })
  db.wrote(id)
}

/** Adds a stage to a pipeline, at its place or at the end. */
export function createStage(db: Scope, pipelineId: string, input: CreateStageInput): Promise<StageRow> {
  return db.unitOfWork(async (em) => {
    const siblings = await lockStages(db, pipelineId)
    const { name, color, position = siblings.length + 1, ...effect } = input
    const faults: Fault[] = []
    if (siblings.length >= MAX_STAGES) {
      faults.push({ path: ['input'], message: `a pipeline has at most ${MAX_STAGES} stages` })
    }
    if (position < 1 || position > siblings.length + 1) {
      faults.push({ path: ['input', 'position'], message: `must be from 1 to ${siblings.length + 1}` })
    }
    const found = effectOf(effect, ['input'], faults)
    if (faults.length > 0) throw invalid(faults)
    const stage = em.create(Stage, { name, color, ...found, position, pipelineId, accountId: db.accountId })
    db.send(place, { ids: siblings.toSpliced(position - 1, 0, stage.id) })
    await em.flush()
    markPipelineChanged(db, pipelineId.toLowerCase())
    await tellChange(db, 'stage', stage.id, 'created')
    db.wrote(stage.id)
    return (await stageReads.find(db, stage.id))!
  })
}

/** Changes the given fields of a stage. What changes nothing leaves no trace. */
export function updateStage(db: Scope, id: string, input: UpdateStageInput): Promise<StageRow> {
  return db.unitOfWork(async (em) => {
    const { pipelineId } = await lockSiblings(db, id)
    const stage = await em.findOneOrFail(Stage, { id, accountId: db.accountId })
    const { name = stage.name, color = stage.color ?? null, ...effect } = input
    const faults: Fault[] = []
    const present = { ...stage, lifecycle: stage.lifecycle ?? null }
    const wanted = { name, color, ...effectOf(effect, ['input'], faults, present) }
    if (faults.length > 0) throw invalid(faults)
    const changed = Object.entries(wanted).some(([field, value]) => (stage[field as keyof Stage] ?? null) !== value)
    if (changed) {
      Object.assign(stage, wanted)
      await tellUpdate(db, em, 'stage', stage)
      await em.flush()
      markPipelineChanged(db, pipelineId)
      db.wrote(stage.id)
    }
    return (await stageReads.find(db, id))!
  })
}

/** Deletes a stage; RECORD_IN_USE while opportunities stand in it. A pipeline keeps at least one. */
export function deleteStage(db: Scope, id: string): Promise<DeletedRecord> {
  return db.unitOfWork(async (em) => {
    const { pipelineId, siblings } = await lockSiblings(db, id)
    if (siblings.length === 1) throw invalid([{ path: ['id'], message: 'is the only stage of its pipeline' }])
    const stageId = id.toLowerCase()
    await unlessOccupied('stage', () => em.nativeDelete(Stage, { id: stageId, accountId: db.accountId }))
    db.send(place, { ids: siblings.filter((one) => one !== stageId) })
    markPipelineChanged(db, pipelineId)
    await tellChange(db, 'stage', stageId, 'deleted')
    return { id: stageId, deleted: true }
  })
}

/** Puts the stages of a pipeline into this order: all of them, each once. */
export function reorderStages(
  db: Scope,
  pipelineId: string,
  given: readonly string[],
  selection: Selection,
): Promise<PipelineRow> {
  return db.transaction(async () => {
    const siblings = await lockStages(db, pipelineId)
    const ids = wholeOrder(given, new Set(siblings), 'stageIds', 'stage of the pipeline')
    if (ids.join() !== siblings.join()) {
      db.send(place, { ids })
      markPipelineChanged(db, pipelineId.toLowerCase())
      await tellChange(db, 'pipeline', pipelineId.toLowerCase(), 'updated', ['stages'])
    }
    return (await pipelineReads.find(db, pipelineId, selection))!
  })
}
