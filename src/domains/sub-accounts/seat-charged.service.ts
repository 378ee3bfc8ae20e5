import { AppError } from '../../shared/errors.js'
import type { Settled } from '../billing/index.js'
import type { Attempt } from './event-store.service.js'
import { type Provisioning, Transient } from './provisioning.service.js'
import { PROVISIONING_ERRORS } from './provisioning-errors.service.js'

/** What was charged for further seats, in the currency's smallest unit. */
export interface SeatCharged {
  ok: true
  /** Whether it was collected; if not, it is on the agency's balance. */
  paid: boolean
  chargedCents: number
  addedChannels: number
}

/** That the provider of billing refuses the service itself: no attempt helps until somebody has mended that. */
class BillingRefused extends Error {}

/**
 * A charge that has come to an end, be it declined; throws Transient when it has not. Where that is our own fault, such as a
 * secret that the provider does not know, all agencies stand still, so it is logged as an error at each attempt.
 */
export function requireSettled(
  { log }: Pick<Provisioning, 'log'>,
  { id }: Pick<Attempt, 'id'>,
  settled: Settled,
): Settled {
  if (settled.state !== 'pending') return settled
  const { reason = 'no answer', ourFault = false } = settled.trouble ?? {}
  if (ourFault) log(new BillingRefused(`Billing refuses the service: ${reason}`), id)
  throw new Transient(`The charge is not settled: ${ourFault ? 'billing is out of order' : reason}.`)
}

/** A charge that was not declined; throws SEAT_CHARGE_FAILED when it was. */
export function requirePaid(settled: Settled): Settled {
  if (settled.state !== 'declined') return settled
  throw new AppError(PROVISIONING_ERRORS.SEAT_CHARGE_FAILED, declinedMessage(settled.decline, 'nothing was changed'))
}

/** Why a card was not charged and what follows from it, for people. */
export function declinedMessage(decline: string | null | undefined, consequence: string): string {
  const reason =
    decline === 'no_payment_method'
      ? 'The agency has no card on file'
      : decline === 'authentication_required'
        ? 'The card wants its owner to confirm the payment'
        : 'The card on file was declined'
  return `${reason}; ${consequence}.`
}

/** What was charged, as the answer tells it; null for what is free. */
export const chargedFor = ({ total, cents }: Settled, addedChannels: number): SeatCharged | null =>
  cents === 0 ? null : { ok: true, paid: total > 0, chargedCents: cents, addedChannels }
