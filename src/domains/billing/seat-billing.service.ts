import type { Database, Scope } from '../../database/index.js'
import type { BillingProvider } from '../../integrations/billing/index.js'
import { type Clock, systemClock } from '../../shared/clock.js'
import { cycleAt, proratedCents } from '../../shared/cycles.js'
import { smallestCharge } from '../../shared/smallest-charge.js'
import { addCharge, type ChargeRow, changeCharge, chargeById, chargeByKey } from './charges.service.js'
import { collectCharge, type Settled, settleCarried, settledOf } from './collect.service.js'
import { type Balance, balanceOf, moveCarried, record } from './ledger.service.js'
import { changeSeats, seatsOf } from './seats.service.js'
import { momentIn, openStanding, type Terms, termsOf } from './terms.service.js'
import { holdTurn, inTurn, TURN_PACE, type Turn, type TurnPace } from './turn.service.js'

/** Seats that a sub-account is to get, for the rest of the cycle and those after it. */
export interface SeatRequest {
  /** One for each request, such as an event's id; a repeat finds what came of it before. */
  key: string
  kind: 'raise' | 'trial_end'
  subAccountId: string
  /** How many are added: 1 or more. */
  seats: number
  /** The client's name, as it stands on the invoice. */
  client: string
}

/**
 * The charges for an agency's seats. A raise is prepared in the transaction that reserves what it is for, collected outside
 * of any, and applied in the one that puts it in force; or it was declined; or it is abandoned, and given back later if it
 * was collected all the same. Each step may be repeated after a crash and has its effect once.
 */
export class SeatBilling {
  constructor(
    private readonly database: Database,
    private readonly provider: BillingProvider,
    private readonly clock: Clock = systemClock,
    private readonly pace: TurnPace = TURN_PACE,
  ) {}

  /**
   * Does something while nobody else moves the agency's money. Throws TurnNotReached, which is transient, when others do so
   * for longer than one waits.
   */
  inTurn<T>(agencyId: string, work: (turn: Turn) => Promise<T>, pace: TurnPace = this.pace): Promise<T> {
    return inTurn(this.database, agencyId, work, pace, (db) => openStanding(db, this.clock()))
  }

  /**
   * Settles what a raise costs, as part of the transaction that is open. A repeat gets the charge as it is by now: amount
   * and moment stay those of the first time.
   */
  prepare(db: Scope, turn: Turn, request: SeatRequest): Promise<Settled> {
    return db.transaction(async () => {
      await holdTurn(db, turn)
      const known = await chargeByKey(db, request.key)
      if (known) return settledOf(same(known, request))
      const terms = await termsOf(db)
      const charge = await addCharge(db, this.chargeOf(request, terms))
      await record(db, charge.id, charge.at, moveCarried(charge.id, charge.carriedCents))
      return settledOf(charge)
    })
  }

  /** Asks the provider, which takes time: no transaction may be open. See collectCharge. */
  collect(db: Scope, turn: Turn, charge: Pick<ChargeRow, 'id'>): Promise<Settled> {
    return collectCharge(db, turn, charge, { provider: this.provider, clock: this.clock })
  }

  /** Puts seats in force that are paid for, or that cost too little to be charged now, as part of the open transaction. */
  apply(db: Scope, turn: Turn, chargeId: string): Promise<Settled> {
    return db.transaction(async () => {
      await holdTurn(db, turn)
      const charge = await chargeById(db, chargeId)
      const { id, state, subAccountId, seats, at, cents } = charge
      if (state === 'applied') return settledOf(charge)
      if (state !== 'paid' && state !== 'carried')
        throw new Error(`the charge ${id} is ${state}: nothing can be applied`)
      await changeSeats(db, { subAccountId: subAccountId!, seats, at, charge: id })
      await record(db, id, at, [{ kind: 'seats', cents, charge: state === 'paid' ? id : null }])
      if (state === 'paid') await settleCarried(db, charge)
      const waits = state === 'carried' && cents > 0
      return settledOf(await changeCharge(db, charge, { state: 'applied', ...(waits && { invoiceStatus: 'open' }) }))
    })
  }

  /**
   * Gives a charge up, as part of the transaction that fails what it was for: what was collected, or turns out to have been,
   * is given back by a job. Does nothing where there is no such charge, or it has come to nothing before.
   */
  abandon(db: Scope, turn: Turn, key: string): Promise<void> {
    return db.transaction(async () => {
      await holdTurn(db, turn)
      const charge = await chargeByKey(db, key)
      switch (charge?.state) {
        case 'pending':
        case 'paid':
          await record(db, charge.id, this.clock(), moveCarried(charge.id, -charge.carriedCents))
          await changeCharge(db, charge, { state: 'abandoned' })
          return
        case 'carried':
          await changeCharge(db, charge, { state: 'dropped' })
          return
        case 'applied':
          throw new Error(`the charge ${charge.id} is applied and cannot be given up`)
      }
    })
  }

  /**
   * Takes seats from a sub-account, as part of the open transaction: nothing is given back for the rest of the cycle.
   * Returns how many went.
   */
  release(
    db: Scope,
    turn: Turn,
    { subAccountId, seats }: { subAccountId: string; seats: number | 'all' },
  ): Promise<number> {
    return db.transaction(async () => {
      await holdTurn(db, turn)
      const held = await seatsOf(db, subAccountId)
      const gone = seats === 'all' ? held : seats
      if (gone < 0 || gone > held) throw new Error(`of ${held} seats ${gone} cannot be taken`)
      const at = momentIn(await termsOf(db), this.clock())
      await changeSeats(db, { subAccountId, seats: -gone, at, charge: null })
      return gone
    })
  }

  /** The seats that are paid for: of a sub-account, or of the whole agency. */
  seatsOf(db: Scope, subAccountId?: string): Promise<number> {
    return seatsOf(db, subAccountId)
  }

  /** What the agency owes. */
  balance(db: Scope): Promise<Balance> {
    return balanceOf(db)
  }

  private chargeOf({ key, kind, subAccountId, seats, client }: SeatRequest, terms: Terms) {
    if (!Number.isInteger(seats) || seats < 1) throw new Error(`${seats} seats cannot be added`)
    const now = this.clock()
    const { anchor, seatPriceCents, currency } = terms
    const at = momentIn(terms, now)
    const cycle = cycleAt(anchor, at)
    const cents = proratedCents(seatPriceCents, seats, at, cycle)
    const carries = cents < smallestCharge(currency)
    // Of what is to be collected the provider says whether there is a card.
    const decline = carries && cents > 0 && terms.paymentMethod === null ? 'no_payment_method' : null
    const state = decline ? 'declined' : carries ? 'carried' : 'pending'
    return {
      key,
      kind,
      subAccountId,
      description: describe(client, seats, at, cycle.end),
      seats,
      seatPriceCents,
      currency,
      at,
      periodStart: cycle.start,
      periodEnd: cycle.end,
      cents,
      carriedCents: state === 'pending' ? terms.carriedCents : 0,
      state,
      decline,
      now,
    } as const
  }
}

function same(charge: ChargeRow, { kind, subAccountId, seats, key }: SeatRequest): ChargeRow {
  if (charge.kind === kind && charge.subAccountId === subAccountId && charge.seats === seats) return charge
  throw new Error(`the key ${key} was used for another charge`)
}

const MAX_CLIENT_LENGTH = 255
const day = (instant: Date) => instant.toISOString().slice(0, 10)

const describe = (client: string, seats: number, from: Date, to: Date) =>
  `${client.slice(0, MAX_CLIENT_LENGTH)}: ${seats} ${seats === 1 ? 'seat' : 'seats'}, ${day(from)} to ${day(to)}`
