import { sql } from 'kysely'
import { param, rowLock, type Scope, Statement } from '../../database/index.js'
import type { Selection } from '../../kit/selection.js'
import { type Fault, notFound } from '../../shared/errors.js'
import { isUuid, newId } from '../../shared/ids.js'
import type { Actor } from '../../shared/viewer.js'
import { beginActions } from './action-begin.service.js'
import { opportunityClosed, opportunityMoved } from './opportunity.facts.js'
import type { MoveOpportunityInput } from './opportunity.inputs.js'
import { type OpportunityRow, opportunityReads } from './opportunity.reads.js'
import { lookUp, type TargetStage } from './opportunity-lookup.service.js'
import { seesOwner } from './opportunity-own.service.js'
import { enteredAt, LIFECYCLE, stageValues } from './stage-times.service.js'

/** A stage as the answer to a move names it. */
export interface StageRef {
  id: string
  name: string
}

/** An opportunity that is locked until the transaction ends. */
export interface Locked {
  id: string
  value: number
  stage: StageRef
  pipelineId: string
  contactId: string | null
  ownerUserId: string | null
  discardedAt: string | null
  /** How many products it has. */
  products: number
}

const opportunityLock = rowLock('opportunity')

// A statement of its own, whose snapshot is taken when the lock is had: the one that waits for a lock would show the
// stage and the products as they were before, or nothing at all where the opportunity has left its stage meanwhile.
const read = new Statement<Locked>(
  sql<Locked>`select o.id, o.value::float8 as value, o.pipeline_id as "pipelineId", o.contact_id as "contactId", o.owner_user_id as "ownerUserId",
      o.discarded_at as "discardedAt",
    json_build_object('id', s.id, 'name', s.name) as stage,
    (select count(*)::int from opportunity_product l
      where l.account_id = o.account_id and l.opportunity_id = o.id) as products
    from opportunity o join stage s on s.account_id = o.account_id and s.id = o.stage_id
    where o.account_id = ${param('account')} and o.id = ${param('id')}`,
  { prepared: true },
)

/** Locks an opportunity, so that changes of it come one after the other; NOT_FOUND where the viewer has none such. */
export async function lockOpportunity(db: Scope, id: string, to: 'change' | 'delete' = 'change'): Promise<Locked> {
  if (!isUuid(id)) throw notFound('opportunity')
  if (to === 'change') opportunityLock.toChange(db, id)
  else opportunityLock.toDelete(db, id)
  const [locked] = await db.rows(read, { id })
  if (!locked || !seesOwner(db, locked.ownerUserId)) throw notFound('opportunity')
  return locked
}

const times = LIFECYCLE.map((name) => {
  const column = sql.ref(`${name}_at`)
  return sql`${column} = coalesce(o.${column}, ${enteredAt(name)})`
})

const move = new Statement<never>(
  sql<never>`with moved as (
      update opportunity o set pipeline_id = ${param('pipelineId')}, stage_id = ${param('stageId')}, ${sql.join(times)},
        won_at = case when ${param('isWinStage')}::boolean then coalesce(o.won_at, at) end,
        lost_at = case when ${param('isLossStage')}::boolean then coalesce(o.lost_at, at) end,
        loss_reason = case when ${param('isLossStage')}::boolean then coalesce(${param('lossReason')}::text, o.loss_reason) end,
        discard_reason_id = case when ${param('isLossStage')}::boolean or o.discarded_at is not null
          then coalesce(${param('discardReasonId')}::uuid, o.discard_reason_id) end
      from (select date_trunc('milliseconds', clock_timestamp()) as at) moment
      where o.account_id = ${param('account')} and o.id = ${param('id')}
      returning o.id)
    insert into opportunity_history (id, account_id, opportunity_id, action, from_stage_id, from_stage_name, to_stage_id,
      to_stage_name, notes, user_name)
    select ${param('historyId')}::uuid, ${param('account')}::uuid, id, 'stage_changed', ${param('fromId')}::uuid,
      ${param('fromName')}, ${param('stageId')}::uuid, ${param('stageName')}, ${param('lossReason')}::text,
      ${param('actorName')} from moved`,
  { prepared: true },
)

const explain = new Statement<never>(
  sql<never>`update opportunity set loss_reason = coalesce(${param('lossReason')}::text, loss_reason),
      discard_reason_id = coalesce(${param('discardReasonId')}::uuid, discard_reason_id)
    where account_id = ${param('account')} and id = ${param('id')}`,
  { prepared: true },
)

/**
 * Moves an opportunity that is locked into a stage; the only way to move one. The stage's timestamp is set when it is
 * still empty; a win stage sets won_at and clears the loss, a loss stage the other way round, any other clears both. From
 * one loss stage to another the reasons stay unless others are given. A move to where it stands changes nothing but the
 * reasons of a loss, when some are given. In another pipeline begins what that begins with.
 */
export async function moveToStage(
  db: Scope,
  actor: Actor,
  locked: Locked,
  to: TargetStage,
  { discardReasonId, lossReason }: Pick<MoveOpportunityInput, 'discardReasonId' | 'lossReason'> = {},
): Promise<void> {
  const { id, stage: from } = locked
  const reasons = { discardReasonId: discardReasonId ?? null, lossReason: lossReason ?? null }
  if (from.id === to.id) {
    if (discardReasonId || lossReason) await db.rows(explain, { id, ...reasons })
    return
  }
  await db.rows(move, {
    ...stageValues(to),
    ...{ id, historyId: newId(), fromId: from.id, fromName: from.name, actorName: actor.name },
    ...reasons,
  })
  await db.announce(opportunityMoved, { opportunityId: id, fromStageId: from.id, toStageId: to.id })
  await announceOutcome(db, id, to)
  if (locked.pipelineId !== to.pipelineId) await beginWith(db, locked, to)
}

/** Has happen in the background what domains ask for of an opportunity that comes into a pipeline; not of one that is decided. */
async function beginWith(db: Scope, { id, contactId, discardedAt }: Locked, to: TargetStage): Promise<void> {
  if (!contactId || discardedAt || to.isWinStage || to.isLossStage) return
  await beginActions(db, { opportunityId: id, contactId, pipelineId: to.pipelineId, stageId: to.id, isMoved: true })
}

/** Announces that an opportunity is won or lost, when the stage that it came into is so. */
export async function announceOutcome(
  db: Scope,
  opportunityId: string,
  { isWinStage, isLossStage }: TargetStage,
): Promise<void> {
  if (isWinStage) await db.announce(opportunityClosed, { opportunityId, outcome: 'won' })
  if (isLossStage) await db.announce(opportunityClosed, { opportunityId, outcome: 'lost' })
}

/** What a move answers: the opportunity, and from where to where it went. */
export interface Moved {
  opportunity: OpportunityRow
  stageChange: { from: StageRef; to: StageRef }
}

/** Moves an opportunity into a stage, of whatever pipeline. */
export function moveOpportunity(
  db: Scope,
  actor: Actor,
  id: string,
  input: MoveOpportunityInput,
  selection: Selection,
): Promise<Moved> {
  return db.transaction(async () => {
    const { stage } = await lookUp(db, input, ({ stage }) => (stage?.isLossStage === false ? lossFaults(input) : []))
    const locked = await lockOpportunity(db, id)
    await moveToStage(db, actor, locked, stage!, input)
    db.wrote(locked.id)
    const to = { id: stage!.id, name: stage!.name }
    return {
      opportunity: (await opportunityReads.find(db, locked.id, selection))!,
      stageChange: { from: locked.stage, to },
    }
  })
}

/** The reasons of a loss that were given for a stage that is none. */
function lossFaults({ discardReasonId, lossReason }: MoveOpportunityInput): Fault[] {
  const given = Object.entries({ discardReasonId, lossReason }).filter(([, value]) => value)
  return given.map(([name]) => ({ path: ['input', name], message: 'is possible only with a loss stage' }))
}
