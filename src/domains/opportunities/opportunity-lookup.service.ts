import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { AppError, type Fault, invalid } from '../../shared/errors.js'
import type { Lifecycle } from '../pipelines/index.js'

/** A stage as a move needs it. */
export interface TargetStage {
  id: string
  name: string
  pipelineId: string
  lifecycle: Lifecycle | null
  isWinStage: boolean
  isLossStage: boolean
}

/** What a write of an opportunity must know of the records that it names. */
export interface Found {
  currency: string
  /** The stage that was named. */
  stage: TargetStage | null
  /** The first stage of the pipeline that was named, or of the default one. */
  firstStage: TargetStage | null
  campaign: { sectorId: string | null; responsibleId: string | null } | null
  owner: { isActive: boolean } | null
  sector: string | null
  discardReason: string | null
  /** The contact that has the email. */
  contact: string | null
}

/** The ids and the email that a write names; what it leaves out is absent or null. */
export interface Named {
  pipelineId?: string | null
  stageId?: string | null
  campaignId?: string | null
  ownerUserId?: string | null
  sectorId?: string | null
  discardReasonId?: string | null
  email?: string | null
}

const stageJson = sql`json_build_object('id', s.id, 'name', s.name, 'pipelineId', s.pipeline_id,
  'lifecycle', s.lifecycle, 'isWinStage', s.is_win_stage, 'isLossStage', s.is_loss_stage)`

const lookup = new Statement<Found>(
  sql<Found>`select a.currency,
    (select ${stageJson} from stage s where s.account_id = a.id and s.id = ${param('stageId')}) as stage,
    (select ${stageJson} from stage s where s.account_id = a.id and s.pipeline_id = coalesce(${param('pipelineId')}::uuid,
      (select p.id from pipeline p where p.account_id = a.id and p.is_default))
      order by s.position limit 1) as "firstStage",
    (select json_build_object('sectorId', c.sector_id, 'responsibleId', (select u.id from app_user u
      where u.account_id = a.id and u.id = c.default_responsible_id and u.is_active and u.deleted_at is null))
      from campaign c where c.account_id = a.id and c.id = ${param('campaignId')} and c.deleted_at is null) as campaign,
    (select json_build_object('isActive', u.is_active) from app_user u
      where u.account_id = a.id and u.id = ${param('ownerUserId')} and u.deleted_at is null) as owner,
    (select s.id from sector s
      where s.account_id = a.id and s.id = ${param('sectorId')} and s.deleted_at is null) as sector,
    (select r.id from discard_reason r
      where r.account_id = a.id and r.id = ${param('discardReasonId')} and r.deleted_at is null) as "discardReason",
    (select c.id from contact c where c.account_id = a.id and lower(c.email) = lower(${param('email')})) as contact
    from account a where a.id = ${param('account')}`,
  { prepared: true },
)

/**
 * Looks up what a write names, in one statement; VALIDATION_ERROR that says of each wrong field what is wrong, `further`
 * faults among them.
 */
export async function lookUp(db: Scope, named: Named, further: (found: Found) => Fault[] = () => []): Promise<Found> {
  const { pipelineId, stageId, campaignId, ownerUserId, sectorId, discardReasonId, email } = named
  const asked = { pipelineId, stageId, campaignId, ownerUserId, sectorId, discardReasonId, email }
  const values = Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, value ?? null]))
  const found = (await db.rows(lookup, values))[0]!
  const faults: Fault[] = []
  const demand = (name: keyof Named, holds: boolean, message: string) => {
    if (named[name] && !holds) faults.push({ path: ['input', name], message })
  }
  demand('pipelineId', found.firstStage !== null, 'is not the id of a pipeline that has stages')
  demand('stageId', found.stage !== null, 'is not the id of a stage')
  const apart = found.stage && pipelineId && found.stage.pipelineId !== pipelineId.toLowerCase()
  if (apart) faults.push({ path: ['input', 'stageId'], message: 'is not a stage of the pipeline' })
  demand('campaignId', found.campaign !== null, 'is not the id of a campaign')
  demand('ownerUserId', found.owner !== null, 'is not the id of a user')
  demand('ownerUserId', found.owner?.isActive !== false, 'is the id of a user who is not active')
  demand('sectorId', found.sector !== null, 'is not the id of a sector')
  demand('discardReasonId', found.discardReason !== null, 'is not the id of a discard reason')
  faults.push(...further(found))
  if (faults.length > 0) throw invalid(faults)
  return found
}

/** The stage that a write asks for: the named one, else the first of the pipeline. */
export function placeOf({ stage, firstStage }: Found): TargetStage {
  const place = stage ?? firstStage
  if (!place) throw new AppError('VALIDATION_ERROR', 'The account has no pipeline with stages to put it into.')
  return place
}
