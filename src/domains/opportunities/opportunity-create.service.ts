import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import type { ActionPlace } from '../../kit/action.js'
import type { Selection } from '../../kit/selection.js'
import { newId } from '../../shared/ids.js'
import type { Actor } from '../../shared/viewer.js'
import { contactLock, createUnmatched, duplicateEmail, fillEmptyFields, seesContact } from '../contacts/index.js'
import { nextOwner } from '../pipelines/index.js'
import { settleAsked } from './action.service.js'
import { actionsAskedFor, type GivenActions, promiseBlocks } from './action-asked.service.js'
import { beginActions } from './action-begin.service.js'
import { OpportunitySource } from './opportunity.entity.js'
import { opportunityCreated } from './opportunity.facts.js'
import type { CreateOpportunityInput } from './opportunity.inputs.js'
import { type OpportunityRow, opportunityReads } from './opportunity.reads.js'
import { type Found, lookUp, placeOf, type TargetStage } from './opportunity-lookup.service.js'
import { announceOutcome } from './opportunity-move.service.js'
import { ownerFaults } from './opportunity-own.service.js'
import { enteredAt, stageValues } from './stage-times.service.js'

// Created in a stage that sets a timestamp, an opportunity has that very instant as its creation, so that no report
// counts a time before it.
const insert = new Statement<{ id: string }>(
  sql<{ id: string }>`with moment as (select date_trunc('milliseconds', clock_timestamp()) as at),
    created as (
      insert into opportunity (id, account_id, title, value, currency, probability, expected_close_date, pipeline_id,
        stage_id, campaign_id, owner_user_id, sector_id, contact_id, score, source, notes, sent_at, accepted_at,
        qualifying_started_at, qualified_at, scheduled_at, won_at, lost_at, created_at)
      select ${param('id')}::uuid, ${param('account')}::uuid, ${param('title')}, ${param('value')}::numeric,
        ${param('currency')}, ${param('probability')}::int, ${param('expectedCloseDate')}::date,
        ${param('pipelineId')}::uuid, ${param('stageId')}::uuid, ${param('campaignId')}::uuid,
        ${param('ownerUserId')}::uuid, ${param('sectorId')}::uuid, ${param('contactId')}::uuid, ${param('score')}::int,
        ${param('source')}, ${param('notes')}, ${enteredAt('sent')}, ${enteredAt('accepted')},
        ${enteredAt('qualifying_started')}, ${enteredAt('qualified')}, ${enteredAt('scheduled')},
        case when ${param('isWinStage')}::boolean then at end, case when ${param('isLossStage')}::boolean then at end,
        case when ${param('timed')}::boolean then at else 'infinity' end
      from moment
      returning id),
    noted as (
      insert into opportunity_history (id, account_id, opportunity_id, action, to_stage_id, to_stage_name, to_value,
        user_name)
      select ${param('historyId')}::uuid, ${param('account')}::uuid, id, 'created', ${param('stageId')}::uuid,
        ${param('stageName')}, ${param('value')}::numeric, ${param('actorName')} from created)
    select id from created`,
  { prepared: true },
)

/**
 * Creates an opportunity with its contact, which is recognised by the email or created too. Without an owner in the
 * input, a seller has it, else the rules of turns decide, then the campaign.
 */
export async function createOpportunity(
  db: Scope,
  actor: Actor,
  input: CreateOpportunityInput,
  selection: Selection,
): Promise<OpportunityRow> {
  return (await createWithActions(db, actor, input, null, selection)).opportunity
}

/** An opportunity with the blocks of the actions that were asked for; where its answer is kept, these come later. */
export interface CreatedWithActions {
  opportunity: OpportunityRow
  /** By the action's name; null when none was asked for. */
  actions: object | null
}

/** Creates an opportunity like createOpportunity, with actions that happen after the commit. */
export async function createWithActions(
  db: Scope,
  actor: Actor,
  input: CreateOpportunityInput,
  given: GivenActions | null,
  selection: Selection,
): Promise<CreatedWithActions> {
  const asked = actionsAskedFor(db, given)
  const created = await db.transaction(async () => {
    const { opportunity, place } = await create(db, actor, input, selection)
    return { opportunity, place, all: await beginActions(db, place, asked) }
  })
  const { opportunity, place, all } = created
  if (asked.length === 0) return { opportunity, actions: null }
  if (db.inTransaction) return { opportunity, actions: promiseBlocks(db, all) }
  const blocks = await settleAsked(
    db,
    all.map((one) => ({ ...one, ...place })),
  )
  const actions = all.map(({ id, name }) => [name, blocks.get(id)!] as const)
  return { opportunity, actions: Object.fromEntries(actions) }
}

async function create(db: Scope, actor: Actor, input: CreateOpportunityInput, selection: Selection) {
  const known = await lookUp(db, input, () => ownerFaults(db, input.ownerUserId ?? undefined))
  const stage = placeOf(known)
  const contactId = await contactFor(db, known.contact, input)
  const ownerUserId = input.ownerUserId ?? db.viewer.ownerScope ?? (await ownerFor(db, known, stage, input))
  const id = newId()
  await db.rows(insert, {
    ...valuesOf(input, known, stage),
    ...{ id, historyId: newId(), contactId, ownerUserId, actorName: actor.name },
  })
  await db.announce(opportunityCreated, { opportunityId: id })
  await announceOutcome(db, id, stage)
  db.wrote(id)
  const at = { pipelineId: stage.pipelineId, stageId: stage.id }
  const place: ActionPlace = { opportunityId: id, contactId, ...at, isMoved: false }
  return { place, opportunity: (await opportunityReads.find(db, id, selection))! }
}

function valuesOf(input: CreateOpportunityInput, { currency }: Found, stage: TargetStage): Record<string, unknown> {
  return {
    ...stageValues(stage),
    title: input.title ?? input.name,
    value: input.value ?? 0,
    currency: input.currency ?? currency,
    probability: input.probability ?? null,
    expectedCloseDate: input.expectedCloseDate ?? null,
    campaignId: input.campaignId ?? null,
    sectorId: input.sectorId ?? null,
    score: Math.round(input.score ?? 0),
    source: input.source ?? OpportunitySource.OTHER,
    notes: input.notes ?? null,
    timed: stage.lifecycle !== null || stage.isWinStage || stage.isLossStage,
  }
}

/** The contact of the lead: of a known one the empty fields are filled, an unknown one is created. */
async function contactFor(db: Scope, known: string | null, input: CreateOpportunityInput): Promise<string> {
  const { email, phone, company, location, headline, profilePicture } = input
  const fields = { phone, company, title: input.jobTitle, location, headline, profilePicture }
  const lead = { ...fields, linkedinProfileUrl: input.profileUrl }
  if (known) {
    if (!(await seesContact(db, known))) throw await duplicateEmail(db, known)
    // Creations for one contact would stop each other for ever if one that has its turn (see nextOwner) could still wait for
    // another that changes the contact. Nor is a contact deleted whose opportunity is under way.
    contactLock.toChange(db, known)
    await fillEmptyFields(db, known, lead)
    db.wrote(known) // what is kept of this call shows the contact
    return known
  }
  return createUnmatched(db, { ...lead, name: input.name, email })
}

async function ownerFor(
  db: Scope,
  { campaign }: Found,
  { pipelineId }: TargetStage,
  { sectorId }: CreateOpportunityInput,
): Promise<string | null> {
  const turn = { sectorId: sectorId ?? null, campaignSectorId: campaign?.sectorId ?? null, pipelineId }
  return (await nextOwner(db, turn)) ?? campaign?.responsibleId ?? null
}
