import type { Scope } from '../../database/index.js'
import type { BillingProvider, HeldInvoice } from '../../integrations/billing/index.js'
import type { Clock } from '../../shared/clock.js'
import { newId } from '../../shared/ids.js'
import { storeCard } from '../agencies/index.js'
import { addCharge, type ChargeRow, changeCharge, chargeById, chargeByKey, surplusKey } from './charges.service.js'
import { bookPayment } from './collect.service.js'
import { type Difference, MENDING } from './difference.service.js'
import { record } from './ledger.service.js'
import { storeStatus } from './notice.service.js'
import { giveBack } from './reconcile.service.js'
import { untell } from './seats.service.js'
import { tellAgency } from './tell-seats.service.js'
import { termsOf } from './terms.service.js'
import { holdTurn, type Turn } from './turn.service.js'

interface Means {
  provider: BillingProvider
  clock: Clock
}

/**
 * Does what is safe about a difference: nothing that is owed is let go of, and nothing is collected. Whether it is mended by
 * that shows when the two are compared again.
 */
export async function mend(db: Scope, turn: Turn, difference: Difference, means: Means): Promise<void> {
  const { kind, charge, invoice } = difference
  const { provider, clock } = means
  switch (MENDING[kind]) {
    case 'people':
      return
    case 'end':
      await provider.void({ key: `end ${newId()}`, invoiceId: invoice!.invoiceId })
      return
    case 'refund':
      return refund(db, turn, charge!, invoice!, means)
    case 'book':
      await db.transaction(async () => {
        await holdTurn(db, turn)
        const { invoiceId } = invoice!
        await bookPayment(db, charge!, { outcome: 'paid', invoiceId, paymentId: invoiceId }, 'applied', clock)
      })
      return
    case 'tell':
      await untell(db)
      await tellAgency(db, turn, provider)
      return
    case 'store':
      return kind === 'card' ? readCard(db, means) : db.transaction(() => storeStatus(db, invoice!))
  }
}

async function readCard(db: Scope, { provider, clock }: Means): Promise<void> {
  const asOf = clock()
  const read = await provider.card({ customerId: (await termsOf(db)).customerId })
  if (read.outcome === 'known') await storeCard(db, read.card, asOf)
}

/**
 * Gives back what was paid without being owed. It gets a charge of its own, which is given up from the beginning: so it is
 * in the ledger, the refund outlives a fault or a crash, and the event of the first is told.
 */
async function refund(db: Scope, turn: Turn, owed: ChargeRow, invoice: HeldInvoice, means: Means): Promise<void> {
  const surplus = await db.transaction(async () => {
    await holdTurn(db, turn)
    const known = await chargeByKey(db, surplusKey(owed, invoice.invoiceId))
    const charge = known ?? (await addSurplus(db, owed, invoice, means))
    await record(db, charge.id, means.clock(), [{ kind: 'payment', cents: -charge.cents, charge: charge.id }])
    const paid = { invoiceId: invoice.invoiceId, paymentId: invoice.invoiceId, invoiceStatus: invoice.status }
    // A refund that failed at the bank is asked for anew, under another key.
    return changeCharge(db, charge, { ...paid, state: 'abandoned', callNumber: charge.callNumber + 1 })
  })
  await giveBack(db, turn, await chargeById(db, surplus.id), means) // what is left of it shows when all is compared again
}

function addSurplus(db: Scope, owed: ChargeRow, { invoiceId, collectedCents }: HeldInvoice, { clock }: Means) {
  const { subAccountId, description, seatPriceCents, currency, at, periodStart, periodEnd } = owed
  return addCharge(db, {
    key: surplusKey(owed, invoiceId),
    kind: 'raise',
    subAccountId,
    description: `Not owed: ${description}`.slice(0, MAX_DESCRIPTION),
    seats: 0,
    seatPriceCents,
    currency,
    at: new Date(at),
    periodStart: new Date(periodStart),
    periodEnd: new Date(periodEnd),
    cents: collectedCents,
    carriedCents: 0,
    state: 'abandoned',
    decline: null,
    now: clock(),
  })
}

const MAX_DESCRIPTION = 500
