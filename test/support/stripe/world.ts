import { randomInt } from 'node:crypto'
import type { Answer } from './answers/complete.js'
import { balanceAnswer, customerAnswer, paymentMethodAnswer } from './answers/customers.js'
import { endpointAnswer, eventAnswer } from './answers/events.js'
import { invoiceAnswer, invoiceItemAnswer } from './answers/invoices.js'
import { chargeAnswer, intentAnswer, invoicePaymentAnswer, refundAnswer } from './answers/payments.js'
import { priceAnswer, productAnswer } from './answers/prices.js'
import { subscriptionAnswer, subscriptionItemAnswer } from './answers/subscriptions.js'
import type * as records from './records.js'

/** What a server may be told of how Stripe behaves where its account decides. */
export interface Settings {
  /**
   * What becomes of an off-session payment whose card demands its owner: the payment waits for them (as Billing does), or it
   * is declined (as issuers may).
   */
  authentication: 'requires_action' | 'declined'
  /** What a subscription is after the last retry of a payment failed. */
  afterRetries: 'past_due' | 'unpaid' | 'canceled'
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** All that one local Stripe knows, and its time. Records lie in the order in which they were made. */
export class World {
  readonly customers = new Map<string, records.CustomerRecord>()
  readonly balances = new Map<string, records.BalanceRecord>()
  readonly paymentMethods = new Map<string, records.PaymentMethodRecord>()
  readonly products = new Map<string, records.ProductRecord>()
  readonly prices = new Map<string, records.PriceRecord>()
  readonly invoices = new Map<string, records.InvoiceRecord>()
  readonly invoiceItems = new Map<string, records.InvoiceItemRecord>()
  readonly invoicePayments = new Map<string, records.InvoicePaymentRecord>()
  readonly intents = new Map<string, records.IntentRecord>()
  readonly charges = new Map<string, records.ChargeRecord>()
  readonly refunds = new Map<string, records.RefundRecord>()
  readonly subscriptions = new Map<string, records.SubscriptionRecord>()
  readonly events = new Map<string, records.EventRecord>()
  readonly endpoints = new Map<string, records.EndpointRecord>()
  readonly settings: Settings
  /** The call that is being answered; what it makes happen names it. */
  request: records.EventRecord['request'] = { id: null, idempotencyKey: null }
  /** Hears of each event. */
  onEvent: (event: records.EventRecord) => void = () => undefined
  private readonly clock: () => Date
  private ahead = 0

  constructor(settings: Settings, clock: () => Date) {
    this.settings = settings
    this.clock = clock
  }

  /** The server's time, in milliseconds. */
  get time(): number {
    return this.clock().getTime() + this.ahead
  }

  /** The server's time as Stripe tells it: in whole seconds. */
  get now(): number {
    return Math.floor(this.time / 1000)
  }

  /** Puts the time, in milliseconds, forward or back; what is due by then is done by the timetable. */
  setTime(time: number): void {
    this.ahead += time - this.time
  }

  /** A new id of a kind, such as `in`. */
  id(kind: string): string {
    return `${kind}_1${Array.from({ length: 23 }, () => BASE62[randomInt(62)]).join('')}`
  }

  /** Lets an event happen to a record; of a change with what its fields were before. */
  emit(type: string, id: string, before?: Answer): void {
    const object = structuredClone(this.answerOf(id)!)
    this.emitObject(type, object, before)
  }

  /** Lets an event happen to an object that is perhaps no more there. */
  emitObject(type: string, object: Answer, before?: Answer): void {
    const changed =
      before && Object.keys(before).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(object[name]))
    const event: records.EventRecord = {
      id: this.id('evt'),
      created: this.now,
      type,
      object,
      previous: changed ? Object.fromEntries(changed.map((name) => [name, before[name]])) : null,
      request: { ...this.request },
      waiting: 0,
    }
    this.events.set(event.id, event)
    this.onEvent(event)
  }

  /** Any record as it is answered, found by its id; items of subscriptions too. */
  answerOf(id: string): Answer | undefined {
    // Whoever makes a product may choose its id.
    const product = this.products.get(id)
    return product ? productAnswer(product) : this.answers[id.split('_')[0]!]?.(id)
  }

  private readonly answers: Record<string, (id: string) => Answer | undefined> = {
    cus: (id) => map(this.customers.get(id), customerAnswer),
    cbtxn: (id) => map(this.balances.get(id), balanceAnswer),
    pm: (id) => map(this.paymentMethods.get(id), paymentMethodAnswer),
    price: (id) => map(this.prices.get(id), priceAnswer),
    in: (id) =>
      map(this.invoices.get(id), (invoice) =>
        invoiceAnswer(invoice, this.customers.get(invoice.customer)!, this.priceOf),
      ),
    ii: (id) =>
      map(this.invoiceItems.get(id), (item) =>
        invoiceItemAnswer(item, item.price === null ? undefined : this.priceOf(item.price)),
      ),
    inpay: (id) => map(this.invoicePayments.get(id), invoicePaymentAnswer),
    pi: (id) => map(this.intents.get(id), (intent) => intentAnswer(intent, this.methodOf(intent.paymentMethod))),
    ch: (id) => map(this.charges.get(id), (charge) => chargeAnswer(charge, this.methodOf(charge.paymentMethod)!)),
    re: (id) => map(this.refunds.get(id), (refund) => refundAnswer(refund, this.charges.get(refund.charge)!)),
    sub: (id) => map(this.subscriptions.get(id), (subscription) => subscriptionAnswer(subscription, this.priceOf)),
    si: (id) => {
      const subscription = this.subscriptionOfItem(id)
      const item = subscription?.items.find((one) => one.id === id)
      return item && subscriptionItemAnswer(item, subscription!, this.priceOf(item.price)!)
    },
    evt: (id) => map(this.events.get(id), eventAnswer),
    we: (id) => map(this.endpoints.get(id), (endpoint) => endpointAnswer(endpoint)),
  }

  /** The subscription to which an item belongs. */
  subscriptionOfItem(id: string): records.SubscriptionRecord | undefined {
    return [...this.subscriptions.values()].find(({ items }) => items.some((item) => item.id === id))
  }

  /** The payment of an invoice, which it has from when it is finalised on, if anything is due. */
  paymentOf(invoice: records.InvoiceRecord): records.InvoicePaymentRecord | undefined {
    return [...this.invoicePayments.values()].find((payment) => payment.invoice === invoice.id)
  }

  private readonly priceOf = (id: string) => this.prices.get(id)
  private methodOf(id: string | null) {
    return id === null ? undefined : this.paymentMethods.get(id)
  }
}

const map = <T>(record: T | undefined, answer: (record: T) => Answer): Answer | undefined => record && answer(record)
