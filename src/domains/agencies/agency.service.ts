import { randomBytes } from 'node:crypto'
import { type Database, Scope } from '../../database/index.js'
import { type BillingProvider, cardToKeep } from '../../integrations/billing/index.js'
import { tellChange, tellUpdate } from '../../kit/changes.js'
import { type Clock, systemClock } from '../../shared/clock.js'
import { wholeSecond } from '../../shared/cycles.js'
import { AppError } from '../../shared/errors.js'
import { newId } from '../../shared/ids.js'
import { CHARGEABLE } from '../../shared/smallest-charge.js'
import { textFault, tidy } from '../../shared/text.js'
import { NO_ACCOUNT } from '../../shared/viewer.js'
import { Agency, CHANNELS, type Channel } from './agency.entity.js'

export const DEFAULT_SEAT_PRICE = 4900
export const DEFAULT_CURRENCY = 'BRL'
/** In the smallest unit: what PostgreSQL's and Stripe's numbers hold with thousands of seats on top. */
export const MAX_SEAT_PRICE = 99_999_999

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

/** A card that is on file, and when it was read what it is known by. */
type OnFile = Required<Pick<Agency, 'paymentMethod' | 'card' | 'cardAsOf'>>

/** The operator's side of agencies. */
export class Agencies {
  constructor(
    private readonly database: Database,
    private readonly billing: BillingProvider,
    private readonly clock: Clock = systemClock,
  ) {}

  /**
   * Stores a new agency, in the transaction of the scope if it has one open, after it became a customer of the provider
   * of billing with its card on file. Of a test card that cannot be on file the one stands in that is declined when charged.
   */
  async create(given: NewAgency, db: Scope = this.own()): Promise<Agency> {
    const { seatPriceCents = DEFAULT_SEAT_PRICE, isDemo = false } = given
    const currency = (given.currency ?? DEFAULT_CURRENCY).toUpperCase()
    const billableChannels = given.billableChannels ?? [...CHANNELS]
    const name = tidy(given.name)
    check(name, seatPriceCents, currency, billableChannels)
    const id = newId()
    const billingCustomer = await this.makeCustomer(id, name)
    const read = given.paymentMethod ? await this.putOnFile({ id, billingCustomer }, given.paymentMethod) : undefined
    return db.unitOfWork(async (em) => {
      const agency = em.create(Agency, {
        id,
        name,
        agencyKey: makeAgencyKey(),
        seatPriceCents,
        currency,
        billableChannels,
        anchor: wholeSecond(this.clock()),
        billingCustomer,
        ...read,
        isDemo,
      })
      await em.flush()
      await tellChange(db, 'agency', id, 'created')
      return agency
    })
  }

  /** Puts a card on file in place of the one before; throws VALIDATION_ERROR for one that cannot be. */
  async changePaymentMethod(agencyId: string, paymentMethod: string, db: Scope = this.own()): Promise<Agency> {
    const agency = await this.database.fork().findOne(Agency, agencyId)
    if (!agency) throw noAgency()
    const { paymentMethod: onFile, ...known } = await this.putOnFile(agency, paymentMethod)
    return db.unitOfWork(async (em) => {
      const found = await em.findOne(Agency, agencyId)
      if (!found) throw noAgency()
      found.paymentMethod = onFile
      await tellUpdate(db, em, 'agency', found)
      em.assign(found, known)
      return found
    })
  }

  /** The agency with this key, which stands in the addresses of its API. */
  async findByKey(agencyKey: string): Promise<Agency | null> {
    return this.database.fork().findOne(Agency, { agencyKey })
  }

  private own(): Scope {
    return Scope.ofOperator(this.database, NO_ACCOUNT)
  }

  private async makeCustomer(id: string, name: string): Promise<string> {
    const made = await this.billing.createCustomer({ key: `customer ${id}`, name, metadata: { agency: id } })
    if (made.outcome !== 'created') throw outOfReach(made.reason)
    return made.customerId
  }

  /** Resolves to the card as it is on file by then, with its face if that can be read. */
  private async putOnFile(
    { id, billingCustomer }: Pick<Agency, 'id' | 'billingCustomer'>,
    asked: string,
  ): Promise<OnFile> {
    const card = cardToKeep(asked)
    const attached = await this.billing.attachPaymentMethod({
      key: `card ${id} ${newId()}`,
      customerId: billingCustomer!,
      paymentMethod: card,
    })
    switch (attached.outcome) {
      case 'attached':
        return this.readCard(billingCustomer!, attached.paymentMethod)
      case 'declined':
        throw new AppError('VALIDATION_ERROR', `The payment method ${card} was declined.`)
      case 'unknown_payment_method':
        throw new AppError('VALIDATION_ERROR', `There is no payment method ${card}.`)
      default:
        throw outOfReach(attached.reason)
    }
  }

  /** What the card is known by can wait for a notice: that it is on file is certain already. */
  private async readCard(customerId: string, paymentMethod: string): Promise<OnFile> {
    const cardAsOf = this.clock()
    const read = await this.billing.card({ customerId })
    const { paymentMethod: now, ...card } = (read.outcome === 'known' && read.card) || { paymentMethod: undefined }
    return { paymentMethod, card: now === paymentMethod ? card : {}, cardAsOf }
  }
}

/** Removes the demo agency with all that is its own, if there is one; accounts of its clients stay. */
export function removeDemoAgency(db: Scope): Promise<void> {
  return db.unitOfWork(async (em) => {
    const demo = await em.findOne(Agency, { isDemo: true })
    if (!demo) return
    await em.nativeDelete(Agency, { id: demo.id })
    em.clear()
    await tellChange(db, 'agency', demo.id, 'deleted')
  })
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

const noAgency = () => new AppError('NOT_FOUND', 'There is no such agency.')

const outOfReach = (reason: string) =>
  new AppError('SERVICE_UNAVAILABLE', `Billing cannot be reached (${reason}). Try again in a moment.`)

/** Not to be guessed, though it opens nothing by itself. */
const makeAgencyKey = () => `ag_${randomBytes(12).toString('hex')}`
