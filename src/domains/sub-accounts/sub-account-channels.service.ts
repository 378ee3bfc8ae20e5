import { sql } from 'kysely'
import { param, Scope, Statement } from '../../database/index.js'
import type { Turn } from '../billing/index.js'
import { type Attempt, finishEvent, queueTrialEnd, takePlaceAt } from './event-store.service.js'
import type { Provisioning } from './provisioning.service.js'
import { type Queued, TOLD } from './provisioning-errors.service.js'
import { chargedFor, requirePaid, requireSettled, type SeatCharged } from './seat-charged.service.js'
import {
  type AskedQuotas,
  billableSeats,
  type FoundSubAccount,
  lockSubAccount,
  type Quotas,
  readTerms,
  requireTrialChannels,
  resolveReference,
  toldQuotas,
  wholeQuotas,
} from './sub-account.service.js'

/** What a change of channels asks for. */
export interface ChannelChange {
  reference: string
  channels: AskedQuotas
}

/** What a change of channels came to. */
export interface ChangedChannels {
  id: string
  channels: Quotas
  /** How many more seats, or fewer, the agency pays for. */
  deltaChannels: number
  seatCharge: SeatCharged | null
}

const apply = new Statement<never>(
  sql<never>`update sub_account set linkedin = ${param('linkedin')}, whatsapp = ${param('whatsapp')},
      instagram = ${param('instagram')}, email_marketing = ${param('emailMarketing')}
    where agency_id = ${param('agency')} and id = ${param('id')}`,
  { prepared: true },
)

const KEYS = ['linkedin', 'whatsapp', 'instagram', 'emailMarketing'] as const

/** Brings a sub-account's channels to what is asked for; more seats are charged first. */
export async function changeChannels(
  provisioning: Provisioning,
  attempt: Attempt,
  { reference, channels }: ChannelChange,
): Promise<ChangedChannels> {
  const { database, billing } = provisioning
  const lookUp = Scope.ofAgency(database, attempt.agencyId)
  const id = attempt.target ?? (await resolveReference(lookUp, reference))
  const db = Scope.ofAgency(database, attempt.agencyId, { accountId: id })
  const wanted = wholeQuotas(channels)
  if (attempt.target !== null) {
    return billing.inTurn(attempt.agencyId, (turn) =>
      inTurn(provisioning, db, attempt, turn, () => beginChange(db, attempt, id, wanted)),
    )
  }

  // Nothing of money's turn is needed to see that there is nothing to do, or a place in the queue.
  const early = await db.transaction(() => beginChange(db, attempt, id, wanted))
  if ('result' in early) return early.result
  if ('queued' in early) throw early.queued
  const held = { ...attempt, target: id }
  return billing.inTurn(attempt.agencyId, (turn) => inTurn(provisioning, db, held, turn, async () => early))
}

interface Change {
  id: string
  name: string
  wanted: Quotas
  delta: number
}

type Early = { result: ChangedChannels } | { queued: Queued } | { change: Change }

async function beginChange(db: Scope, attempt: Attempt, id: string, wanted: Quotas): Promise<Early> {
  const found = await lockSubAccount(db, id)
  if (found.trialIsDue && attempt.target === null) await queueTrialEnd(db, id)
  const queued = await takePlaceAt(db, attempt, id)
  if (queued) return { queued }
  if (found.inTrial) requireTrialChannels(wanted, TOLD.TRIAL_CHANNEL_LOCKED)
  const terms = await readTerms(db)
  const seats = (quotas: Quotas) => (found.inTrial ? 0 : billableSeats(quotas, terms))
  const change: Change = { id, name: found.name, wanted, delta: seats(wanted) - seats(found) }
  if (change.delta !== 0) return { change }
  return { result: await applyChange(db, attempt, change, null, isSame(found, wanted) ? 'ignored' : 'processed') }
}

const isSame = (found: FoundSubAccount, wanted: Quotas) => KEYS.every((key) => found[key] === wanted[key])

/** Moves the money of a change, which `begin` finds within the first transaction, and puts it in force. */
async function inTurn(
  provisioning: Provisioning,
  db: Scope,
  attempt: Attempt,
  turn: Turn,
  begin: () => Promise<Early>,
): Promise<ChangedChannels> {
  const { billing } = provisioning
  const begun = await db.transaction(async () => {
    const early = await begin()
    if (!('change' in early)) return early
    const { change } = early
    const { id, name, delta } = change
    if (delta < 0) {
      await billing.release(db, turn, { subAccountId: id, seats: -delta })
      return { result: await applyChange(db, attempt, change, null) }
    }
    const request = { key: attempt.id, kind: 'raise' as const, subAccountId: id, seats: delta, client: name }
    return { change, charge: await billing.prepare(db, turn, request) }
  })
  if ('result' in begun) return begun.result
  if ('queued' in begun) throw begun.queued
  const { change, charge } = begun
  const settled = requirePaid(requireSettled(provisioning, attempt, await billing.collect(db, turn, charge)))
  return db.transaction(async () => {
    await billing.apply(db, turn, settled.id)
    return applyChange(db, attempt, change, chargedFor(settled, change.delta))
  })
}

async function applyChange(
  db: Scope,
  attempt: Attempt,
  { id, wanted, delta }: Change,
  seatCharge: SeatCharged | null,
  status = 'processed',
): Promise<ChangedChannels> {
  if (status === 'processed') db.send(apply, { id, ...wanted })
  await finishEvent(db, attempt, told({ id, channels: wanted, deltaChannels: delta, seatCharge }), status)
  return { id, channels: wanted, deltaChannels: delta, seatCharge }
}

/** As an event's result holds it. */
const told = ({ id, channels, deltaChannels, seatCharge }: ChangedChannels) => ({
  id,
  channels: toldQuotas(channels),
  delta_channels: deltaChannels,
  seat_charge: seatCharge,
})
