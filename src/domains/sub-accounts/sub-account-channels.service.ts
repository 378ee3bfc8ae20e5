import { sql } from 'kysely'
import { param, Scope, Statement } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import type { Settled, Turn } from '../billing/index.js'
import { type Attempt, finishEvent, takePlaceAt } from './event-store.service.js'
import { type Provisioning, Transient } from './provisioning.service.js'
import { PROVISIONING_ERRORS, type Queued } from './provisioning-errors.service.js'
import {
  type AskedQuotas,
  billableSeats,
  type FoundSubAccount,
  lockSubAccount,
  type Quotas,
  readTerms,
  resolveReference,
  toldQuotas,
  wholeQuotas,
} from './sub-account.service.js'

/** What a change of channels asks for. */
export interface ChannelChange {
  reference: string
  channels: AskedQuotas
}

/** What was charged for further seats, in the currency's smallest unit. */
export interface SeatCharged {
  ok: true
  /** Whether it was collected; if not, it is on the agency's balance. */
  paid: boolean
  chargedCents: number
  addedChannels: number
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

  // Nothing of money's turn is needed to see that there is nothing to do, or a place in the queue.
  const early = await db.transaction(() => beginChange(db, attempt, id, wanted))
  if ('result' in early) return early.result
  if ('queued' in early) throw early.queued
  const held = { ...attempt, target: id }
  return billing.inTurn(attempt.agencyId, (turn) => inTurn(provisioning, db, held, turn, early.change))
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
  const queued = await takePlaceAt(db, attempt, id)
  if (queued) return { queued }
  if (found.inTrial) requireTrialChannels(wanted)
  const terms = await readTerms(db)
  const seats = (quotas: Quotas) => (found.inTrial ? 0 : billableSeats(quotas, terms))
  const change: Change = { id, name: found.name, wanted, delta: seats(wanted) - seats(found) }
  if (change.delta !== 0) return { change }
  return { result: await applyChange(db, attempt, change, null, isSame(found, wanted) ? 'ignored' : 'processed') }
}

const isSame = (found: FoundSubAccount, wanted: Quotas) => KEYS.every((key) => found[key] === wanted[key])

function requireTrialChannels({ linkedin, instagram, emailMarketing }: Quotas): void {
  if (linkedin + instagram + emailMarketing === 0) return
  const message = 'During the free trial a sub-account has whatsapp alone.'
  throw new AppError(PROVISIONING_ERRORS.TRIAL_CHANNEL_LOCKED, message)
}

async function inTurn(
  { billing }: Provisioning,
  db: Scope,
  attempt: Attempt,
  turn: Turn,
  change: Change,
): Promise<ChangedChannels> {
  const { id, name, delta } = change
  if (delta < 0) {
    return db.transaction(async () => {
      await billing.release(db, turn, { subAccountId: id, seats: -delta })
      return applyChange(db, attempt, change, null)
    })
  }
  const charge = await db.transaction(() =>
    billing.prepare(db, turn, { key: attempt.id, kind: 'raise', subAccountId: id, seats: delta, client: name }),
  )
  const settled = requireSettled(await billing.collect(db, turn, charge))
  return db.transaction(async () => {
    await billing.apply(db, turn, settled.id)
    return applyChange(db, attempt, change, chargedFor(settled, delta))
  })
}

/** A charge that has come to an end; throws SEAT_CHARGE_FAILED when that is a declined card, Transient when it has not. */
function requireSettled(settled: Settled): Settled {
  if (settled.state === 'pending')
    throw new Transient(`The charge is not settled: ${settled.trouble?.reason ?? 'no answer'}.`)
  if (settled.state !== 'declined') return settled
  throw new AppError(PROVISIONING_ERRORS.SEAT_CHARGE_FAILED, declinedMessage(settled.decline))
}

/** Why a card was not charged, for people. */
export const declinedMessage = (decline: string | null | undefined): string =>
  decline === 'no_payment_method'
    ? 'The agency has no card on file; nothing was changed.'
    : decline === 'authentication_required'
      ? 'The card wants its owner to confirm the payment; nothing was changed.'
      : 'The card on file was declined; nothing was changed.'

/** What was charged, as the answer tells it. */
const chargedFor = ({ total, cents }: Settled, addedChannels: number): SeatCharged | null =>
  cents === 0 ? null : { ok: true, paid: total > 0, chargedCents: cents, addedChannels }

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
