import { sql } from 'kysely'
import { eraseKeptAnswers, param, RunAgain, type Scope, Statement } from '../../database/index.js'
import type { DeletedRecord } from '../../kit/deleted.js'
import type { Selection } from '../../kit/selection.js'
import { AppError, invalid, notFound } from '../../shared/errors.js'
import { given } from '../../shared/given.js'
import { isUuid, newId } from '../../shared/ids.js'
import type { Actor } from '../../shared/viewer.js'
import { type UpdateContactInput, updateContact } from '../contacts/index.js'
import { discardReasonReads } from '../reference/index.js'
import { Opportunity } from './opportunity.entity.js'
import { opportunityClosed, opportunityDeleted } from './opportunity.facts.js'
import type { UpdateOpportunityInput } from './opportunity.inputs.js'
import { type OpportunityRow, opportunityReads } from './opportunity.reads.js'
import { lookUp, type Named } from './opportunity-lookup.service.js'
import { type Locked, lockOpportunity, moveToStage } from './opportunity-move.service.js'
import { ownerFaults, seesOwner } from './opportunity-own.service.js'

/** What an opportunity refers to at present. */
interface Present {
  contactId: string | null
  pipelineId: string
  stageId: string
  campaignId: string | null
  ownerUserId: string | null
  sectorId: string | null
}

const presence = new Statement<Present>(
  sql<Present>`select contact_id as "contactId", pipeline_id as "pipelineId", stage_id as "stageId",
      campaign_id as "campaignId", owner_user_id as "ownerUserId", sector_id as "sectorId" from opportunity
    where account_id = ${param('account')} and id = ${param('id')}`,
  { prepared: true },
)

const NOTHING: Selection = new Map()

/**
 * Changes the given fields of an opportunity: those of the lead on its contact, the stage by a move, the others on
 * itself. What changes nothing leaves no trace.
 */
export function updateOpportunity(
  db: Scope,
  actor: Actor,
  id: string,
  input: UpdateOpportunityInput,
  selection: Selection,
): Promise<OpportunityRow> {
  if (Object.keys(given(input)).length === 0) {
    throw new AppError('VALIDATION_ERROR', 'No field to change was given.')
  }
  return db.unitOfWork(async (em) => {
    const [present] = isUuid(id) ? await db.rows(presence, { id }) : []
    const found = present && seesOwner(db, present.ownerUserId) ? present : undefined
    const named = changedOf(input, found)
    const known = await lookUp(db, named, () => ownerFaults(db, named.ownerUserId))
    if (!found) throw notFound('opportunity')
    // The contact first: its change goes on to the opportunities, so that is the order of the locks everywhere.
    await updateLead(db, found.contactId, input)
    const locked = await lockOpportunity(db, id)
    if (input.value !== undefined) await setValue(db, actor, locked, input.value)
    const changes = ownChanges(input)
    if (Object.keys(changes).length > 0) {
      await em.nativeUpdate(Opportunity, { id: locked.id, accountId: db.accountId }, changes)
    }
    const stage = named.stageId ? known.stage : named.pipelineId ? known.firstStage : null
    if (stage) await moveToStage(db, actor, locked, stage)
    db.wrote(locked.id)
    if (found.contactId) db.wrote(found.contactId)
    return (await opportunityReads.find(db, locked.id, selection))!
  })
}

/**
 * What the input names beyond what is there already: a value that is sent back as it was read is accepted, also where it
 * could not be set anew, such as an owner who is inactive by now. The present pipeline alone moves nothing.
 */
function changedOf(input: UpdateOpportunityInput, found: Present | undefined): Named {
  const { pipelineId, stageId, campaignId, ownerUserId, sectorId } = input
  const changed = (name: Exclude<keyof Present, 'contactId'>, value: string | null | undefined) =>
    value?.toLowerCase() === found?.[name] ? undefined : value
  return {
    pipelineId: stageId ? pipelineId : changed('pipelineId', pipelineId),
    stageId: pipelineId ? stageId : changed('stageId', stageId),
    campaignId: changed('campaignId', campaignId),
    ownerUserId: changed('ownerUserId', ownerUserId),
    sectorId: changed('sectorId', sectorId),
  }
}

/** Changes the contact as far as the input says something of the lead. */
async function updateLead(db: Scope, contactId: string | null, input: UpdateOpportunityInput): Promise<void> {
  const { jobTitle, company, location, headline, profileUrl, profilePicture, email, phone } = input
  const names = Object.keys(given({ jobTitle, company, location, headline, profileUrl, profilePicture, email, phone }))
  if (!contactId) {
    const message = 'cannot be changed: the opportunity has no contact any more'
    if (names.length > 0) throw invalid(names.map((name) => ({ path: ['input', name], message })))
    return
  }
  if (names.length === 0 && input.name === undefined) return
  const common = { company, location, headline, profilePicture, email, phone }
  const lead: UpdateContactInput = { ...common, name: input.name, title: jobTitle, linkedinProfileUrl: profileUrl }
  try {
    await updateContact(db, contactId, lead, NOTHING)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error
    throw new RunAgain('the contact was deleted meanwhile', { cause: error })
  }
}

/** The changes of the opportunity's own columns. */
function ownChanges(input: UpdateOpportunityInput): Partial<Opportunity> {
  const { notes, ownerUserId, sectorId, campaignId, probability, expectedCloseDate, source, currency } = input
  return given({
    ...{ notes, ownerUserId, sectorId, campaignId, probability, expectedCloseDate, source, currency },
    title: input.title ?? input.name,
    score: input.score === undefined ? undefined : Math.round(input.score ?? 0),
  })
}

async function setValue(db: Scope, actor: Actor, locked: Locked, value: number): Promise<void> {
  if (locked.products > 0 && value !== locked.value) {
    throw invalid([{ path: ['input', 'value'], message: 'follows from the products of the opportunity' }])
  }
  await changeValue(db, actor, locked, value)
}

const revalue = new Statement<never>(
  sql<never>`with changed as (
      update opportunity set value = ${param('to')}::numeric
      where account_id = ${param('account')} and id = ${param('id')} returning id)
    insert into opportunity_history (id, account_id, opportunity_id, action, from_value, to_value, user_name)
    select ${param('historyId')}::uuid, ${param('account')}::uuid, id, 'value_changed', ${param('from')}::numeric,
      ${param('to')}::numeric, ${param('actorName')} from changed`,
  { prepared: true },
)

/** Gives an opportunity that is locked another value, and notes that in its history. */
export async function changeValue(db: Scope, actor: Actor, { id, value: from }: Locked, to: number): Promise<void> {
  if (from !== to) await db.rows(revalue, { id, from, to, historyId: newId(), actorName: actor.name })
}

const discard = new Statement<never>(
  sql<never>`update opportunity set discard_reason_id = ${param('discardReasonId')},
    discarded_at = coalesce(discarded_at, date_trunc('milliseconds', clock_timestamp()))
    where account_id = ${param('account')} and id = ${param('id')}`,
  { prepared: true },
)

/** Discards an opportunity for a reason: it counts as lost from now on, wherever it stands. */
export function discardOpportunity(
  db: Scope,
  id: string,
  discardReasonId: string,
  selection: Selection,
): Promise<OpportunityRow> {
  return db.transaction(async () => {
    const reason = await discardReasonReads.find(db, discardReasonId)
    if (!reason) throw invalid([{ path: ['discardReasonId'], message: 'is not the id of a discard reason' }])
    const locked = await lockOpportunity(db, id)
    await db.rows(discard, { id: locked.id, discardReasonId: reason.id })
    if (!locked.discardedAt) {
      await db.announce(opportunityClosed, { opportunityId: locked.id, outcome: 'discarded' })
    }
    return (await opportunityReads.find(db, locked.id, selection))!
  })
}

const restore = new Statement<never>(
  sql<never>`update opportunity set discarded_at = null,
    discard_reason_id = case when lost_at is not null then discard_reason_id end
    where account_id = ${param('account')} and id = ${param('id')}`,
  { prepared: true },
)

/** Takes a discard back; of one that is not discarded nothing changes. */
export function restoreOpportunity(db: Scope, id: string, selection: Selection): Promise<OpportunityRow> {
  return db.transaction(async () => {
    const locked = await lockOpportunity(db, id)
    if (locked.discardedAt) await db.rows(restore, { id: locked.id })
    return (await opportunityReads.find(db, locked.id, selection))!
  })
}

/** Deletes an opportunity with its history, products and comments; its contact, and what else refers to it, stays. */
export function deleteOpportunity(db: Scope, id: string): Promise<DeletedRecord> {
  return db.unitOfWork(async (em) => {
    const locked = await lockOpportunity(db, id, 'delete')
    await db.announce(opportunityDeleted, { opportunityId: locked.id })
    await em.nativeDelete(Opportunity, { id: locked.id, accountId: db.accountId })
    await eraseKeptAnswers(db, [locked.id])
    return { id: locked.id, deleted: true }
  })
}
