import { randomBytes } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Database } from '../../database/index.js'
import { type BillingProvider, cardToKeep } from '../../integrations/billing/index.js'
import { type Clock, systemClock } from '../../shared/clock.js'
import { wholeSecond } from '../../shared/cycles.js'
import { AppError } from '../../shared/errors.js'
import { newId } from '../../shared/ids.js'
import { CHARGEABLE } from '../../shared/smallest-charge.js'
import { textFault, tidy } from '../../shared/text.js'
import { Agency, CHANNELS, type Channel } from './agency.entity.js'

export const DEFAULT_SEAT_PRICE = 4900
export const DEFAULT_CURRENCY = 'BRL'
/** In the smallest unit: what PostgreSQL's and Stripe's numbers hold with thousands of seats on top. */
const MAX_SEAT_PRICE = 99_999_999

export interface NewAgency {
  name: string
  /** What a seat costs for a cycle, in the currency's smallest unit. */
  seatPriceCents?: number
  /** ISO 4217. */
  currency?: string
  /** All of them if not said. */
  billableChannels?: Channel[]
  /** A card to put on file; none if not said. */
  paymentMethod?: string
  isDemo?: boolean
}

/** The operator's side of agencies. */
export class Agencies {
  constructor(
    private readonly database: Database,
    private readonly billing: BillingProvider,
    private readonly clock: Clock = systemClock,
  ) {}

  /**
   * Stores a new agency, in the given unit of work if it is part of a larger one, after it became a customer of the provider
   * of billing with its card on file. Of a test card that cannot be on file the one stands in that is declined when charged.
   */
  async create(given: NewAgency, em: EntityManager = this.database.fork()): Promise<Agency> {
    const { seatPriceCents = DEFAULT_SEAT_PRICE, isDemo = false } = given
    const currency = (given.currency ?? DEFAULT_CURRENCY).toUpperCase()
    const billableChannels = given.billableChannels ?? [...CHANNELS]
    const name = tidy(given.name)
    check(name, seatPriceCents, currency, billableChannels)
    const agency = em.create(Agency, {
      id: newId(),
      name,
      agencyKey: makeAgencyKey(),
      seatPriceCents,
      currency,
      billableChannels,
      anchor: wholeSecond(this.clock()),
      isDemo,
    })
    agency.billingCustomer = await this.makeCustomer(agency)
    if (given.paymentMethod) agency.paymentMethod = await this.putOnFile(agency, given.paymentMethod)
    await em.flush()
    return agency
  }

  /** Puts a card on file in place of the one before; throws VALIDATION_ERROR for one that cannot be. */
  async changePaymentMethod(agencyId: string, paymentMethod: string): Promise<Agency> {
    const em = this.database.fork()
    const agency = await em.findOne(Agency, agencyId)
    if (!agency) throw new AppError('NOT_FOUND', 'There is no such agency.')
    agency.paymentMethod = await this.putOnFile(agency, paymentMethod)
    await em.flush()
    return agency
  }

  /** The agency with this key, which stands in the addresses of its API. */
  async findByKey(agencyKey: string): Promise<Agency | null> {
    return this.database.fork().findOne(Agency, { agencyKey })
  }

  private async makeCustomer({ id, name }: Agency): Promise<string> {
    const made = await this.billing.createCustomer({ key: `customer ${id}`, name, metadata: { agency: id } })
    if (made.outcome !== 'created') throw outOfReach(made.reason)
    return made.customerId
  }

  private async putOnFile({ id, billingCustomer }: Agency, asked: string): Promise<string> {
    const card = cardToKeep(asked)
    const attached = await this.billing.attachPaymentMethod({
      key: `card ${id} ${newId()}`,
      customerId: billingCustomer!,
      paymentMethod: card,
    })
    switch (attached.outcome) {
      case 'attached':
        return attached.paymentMethod
      case 'declined':
        throw new AppError('VALIDATION_ERROR', `The payment method ${card} was declined.`)
      case 'unknown_payment_method':
        throw new AppError('VALIDATION_ERROR', `There is no payment method ${card}.`)
      default:
        throw outOfReach(attached.reason)
    }
  }
}

/** Removes the demo agency with all that is its own, if there is one; accounts of its clients stay. */
export async function removeDemoAgency(em: EntityManager): Promise<void> {
  await em.nativeDelete(Agency, { isDemo: true })
}

function check(name: string, seatPriceCents: number, currency: string, billable: readonly string[]): void {
  const fault = name === '' ? 'must not be empty' : textFault(name, 255)
  if (fault) throw new AppError('VALIDATION_ERROR', `The name ${fault}.`)
  if (!Number.isInteger(seatPriceCents) || seatPriceCents < 0 || seatPriceCents > MAX_SEAT_PRICE) {
    throw new AppError('VALIDATION_ERROR', `The seat price must be a whole number from 0 to ${MAX_SEAT_PRICE}.`)
  }
  if (!CHARGEABLE.includes(currency)) {
    throw new AppError('VALIDATION_ERROR', `The currency must be one of ${CHARGEABLE.join(', ')}.`)
  }
  const unknown = billable.filter((channel) => !CHANNELS.includes(channel as Channel))
  if (unknown.length > 0) throw new AppError('VALIDATION_ERROR', `Unknown channel: ${unknown.join(', ')}.`)
}

const outOfReach = (reason: string) =>
  new AppError('SERVICE_UNAVAILABLE', `Billing cannot be reached (${reason}). Try again in a moment.`)

/** Not to be guessed, though it opens nothing by itself. */
const makeAgencyKey = () => `ag_${randomBytes(12).toString('hex')}`
