import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { param, rowLock, type Scope, Statement } from '../../database/index.js'
import { tellChange, tellUpdate } from '../../kit/changes.js'
import type { DeletedRecord } from '../../kit/deleted.js'
import { type Fault, invalid, notFound } from '../../shared/errors.js'
import { given } from '../../shared/given.js'
import { isUuid } from '../../shared/ids.js'
import { Campaign } from './campaign.entity.js'
import type { CreateCampaignInput, UpdateCampaignInput } from './campaign.inputs.js'
import { type CampaignRow, campaignReads } from './campaign.reads.js'

interface Known {
  sector: boolean
  user: boolean
}

const known = new Statement<Known>(
  sql<Known>`select
    exists (select from sector s where s.account_id = ${param('account')} and s.id = ${param('sectorId')}::uuid
      and s.deleted_at is null) as sector,
    exists (select from app_user u where u.account_id = ${param('account')} and u.id = ${param('userId')}::uuid
      and u.is_active and u.deleted_at is null) as user`,
)

/** What the input names must exist and be in use. */
async function checkReferences(
  db: Scope,
  { sectorId = null, defaultResponsibleId = null }: UpdateCampaignInput,
): Promise<void> {
  if (!sectorId && !defaultResponsibleId) return
  const { sector, user } = (await db.rows(known, { sectorId, userId: defaultResponsibleId }))[0]!
  const faults: Fault[] = []
  if (sectorId && !sector) faults.push({ path: ['input', 'sectorId'], message: 'is not the id of a sector' })
  if (defaultResponsibleId && !user) {
    faults.push({ path: ['input', 'defaultResponsibleId'], message: 'is not the id of an active user' })
  }
  if (faults.length > 0) throw invalid(faults)
}

/** Creates a campaign, as a draft unless said otherwise. */
export function createCampaign(db: Scope, input: CreateCampaignInput): Promise<CampaignRow> {
  return db.unitOfWork(async (em) => {
    await checkReferences(db, input)
    const campaign = em.create(Campaign, { ...input, accountId: db.accountId })
    await em.flush()
    await tellChange(db, 'campaign', campaign.id, 'created')
    db.wrote(campaign.id)
    return (await campaignReads.find(db, campaign.id))!
  })
}

/** Changes the given fields of a campaign. */
export function updateCampaign(db: Scope, id: string, input: UpdateCampaignInput): Promise<CampaignRow> {
  return db.unitOfWork(async (em) => {
    await checkReferences(db, input)
    const campaign = await lockCampaign(em, db, id)
    Object.assign(campaign, given(input))
    await tellUpdate(db, em, 'campaign', campaign)
    await em.flush()
    db.wrote(campaign.id)
    return (await campaignReads.find(db, campaign.id))!
  })
}

/** Deletes a campaign: it is listed no longer and takes no contacts, but what came out of it still names it. */
export function deleteCampaign(db: Scope, id: string): Promise<DeletedRecord> {
  return db.unitOfWork(async (em) => {
    const campaign = await lockCampaign(em, db, id)
    campaign.deletedAt = new Date()
    await tellChange(db, 'campaign', campaign.id, 'deleted')
    return { id: campaign.id, deleted: true }
  })
}

const campaignLock = rowLock('campaign')

async function lockCampaign(em: EntityManager, db: Scope, id: string): Promise<Campaign> {
  const where = { id, accountId: db.accountId, deletedAt: null }
  if (isUuid(id)) campaignLock.toChange(db, id)
  const campaign = isUuid(id) ? await em.findOne(Campaign, where) : null
  if (!campaign) throw notFound('campaign')
  return campaign
}
