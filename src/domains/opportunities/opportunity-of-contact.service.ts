import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import { lookUp } from './opportunity-lookup.service.js'
import { type Locked, lockOpportunity, moveToStage } from './opportunity-move.service.js'

const newest = new Statement<{ id: string }>(
  sql<{ id: string }>`select o.id from opportunity o
    join stage s on s.account_id = o.account_id and s.id = o.stage_id
    where o.account_id = ${param('account')} and o.contact_id = ${param('contactId')} and o.discarded_at is null
      and not s.is_win_stage and not s.is_loss_stage
    order by o.created_at desc, o.id desc limit 1`,
  { prepared: true },
)

/** Locks an opportunity of a contact: this one, or the newest that is open. Undefined where there is none. */
export async function holdOfContact(db: Scope, contactId: string, id?: string | null): Promise<Locked | undefined> {
  const found = id ?? (await db.rows(newest, { contactId }))[0]?.id
  return found ? lockOpportunity(db, found) : undefined
}

/** Moves an opportunity that is locked into a stage; one that the account does not have is a VALIDATION_ERROR. */
export async function moveHeld(db: Scope, locked: Locked, stageId: string): Promise<void> {
  const { stage } = await lookUp(db, { stageId }).catch((error: unknown) => {
    if (error instanceof AppError) throw new AppError('VALIDATION_ERROR', 'There is no such stage in this account.')
    throw error
  })
  await moveToStage(db, db.viewer.actor, locked, stage!)
}
