import type pg from 'pg'
import type { Database } from '../../database/index.js'
import { type Clock, systemClock } from '../../shared/clock.js'
import { newId } from '../../shared/ids.js'
import { smallestCharge } from '../../shared/smallest-charge.js'
import type {
  BillingProvider,
  Charge,
  ChargeOutcome,
  Decline,
  Found,
  Keyed,
  NewCustomer,
  NewPaymentMethod,
  Paid,
  Renewal,
  SeatTotal,
  Sought,
  Transient,
} from './provider.js'
import { type FaultKind, kept, SandboxCalls } from './sandbox-calls.js'
import { cardOnFile, HELD, type HeldRow, held, holdingsOf } from './sandbox-holdings.js'
import { fateOf, isNeverOnFile } from './test-cards.js'

interface Invoice {
  id: string
  status: 'paid' | 'void'
  payment: string | null
}

const CUSTOMER = 'insert into sandbox_customer (id, name, metadata, created_at) values ($1, $2, $3, $4)'
const CARD = 'select payment_method as "paymentMethod" from sandbox_customer where id = $1 for update'
const ATTACH = 'update sandbox_customer set payment_method = $2 where id = $1'
const INVOICE = `insert into sandbox_invoice
    (id, customer, cents, currency, lines, metadata, status, decline, payment, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
const FIND = `select id, status, payment from sandbox_invoice
  where customer = $1 and created_at >= $2 and metadata @> $3::jsonb order by (status = 'paid') desc, id limit 1`
const ONE = 'select id, status, payment from sandbox_invoice where id = $1 for update'
const REFUND = `insert into sandbox_refund (id, invoice, cents, created_at)
  select $1, id, cents, $3 from sandbox_invoice where id = $2`
const SEATS = `insert into sandbox_subscription (customer, seats, seat_price_cents, currency, anchor)
  values ($1, $2, $3, $4, $5) on conflict (customer) do update set seats = excluded.seats,
    seat_price_cents = excluded.seat_price_cents, currency = excluded.currency, anchor = excluded.anchor`
const FAULT = 'insert into sandbox_fault (kind, method, customer, delay_ms, left_over) values ($1, $2, $3, $4, $5)'

/** Which calls a fault befalls: the next ones, of all customers and methods unless named. */
export interface FaultOnDemand {
  kind: FaultKind
  method?:
    | 'createCustomer'
    | 'attachPaymentMethod'
    | 'charge'
    | 'renew'
    | 'find'
    | 'void'
    | 'refund'
    | 'setSeats'
    | 'holdings'
  customerId?: string
  /** How long the call takes, in milliseconds, whatever its fault. */
  delayMs?: number
  /** How many calls; one if not said. */
  times?: number
}

/**
 * Billing without anybody's money: it knows Stripe's test cards, and keeps in tables of its own what Stripe would keep,
 * to the cent. All processes on a database share it.
 */
export class SandboxBilling implements BillingProvider {
  readonly name = 'sandbox'
  private readonly calls: SandboxCalls

  constructor(
    private readonly database: Database,
    private readonly clock: Clock = systemClock,
  ) {
    this.calls = new SandboxCalls(database, clock)
  }

  /** Has something go wrong with coming calls. */
  async disturb({ kind, method, customerId, delayMs = 0, times = 1 }: FaultOnDemand): Promise<void> {
    await this.database.pool.query(FAULT, [kind, method ?? null, customerId ?? null, delayMs, times])
  }

  /** Ends what goes wrong. */
  async calm(): Promise<void> {
    await this.database.pool.query('delete from sandbox_fault')
  }

  createCustomer(customer: NewCustomer) {
    return this.calls.change('createCustomer', undefined, customer, async (client) => {
      const customerId = idOf('cus')
      await client.query(CUSTOMER, [customerId, customer.name, JSON.stringify(customer.metadata), this.now()])
      return { outcome: 'created' as const, customerId }
    })
  }

  attachPaymentMethod(method: NewPaymentMethod) {
    const { customerId, paymentMethod } = method
    return this.calls.change('attachPaymentMethod', customerId, method, async (client) => {
      if (isNeverOnFile(paymentMethod)) return { outcome: 'declined' as const, reason: 'card_declined' as const }
      if (!fateOf(paymentMethod)) return { outcome: 'unknown_payment_method' as const }
      const { rowCount } = await client.query(ATTACH, [customerId, paymentMethod])
      if (rowCount === 0) return ourFault('there is no such customer')
      return { outcome: 'attached' as const, paymentMethod }
    })
  }

  charge(charge: Charge): Promise<ChargeOutcome> {
    return this.calls.change('charge', charge.customerId, charge, (client) => this.collect(client, charge))
  }

  renew(renewal: Renewal): Promise<ChargeOutcome> {
    return this.calls.change('renew', renewal.customerId, renewal, (client) => this.collect(client, renewal))
  }

  find({ customerId, metadata, since }: Sought): Promise<Found> {
    return this.calls.look('find', customerId, async (client): Promise<Found> => {
      const values = [customerId, since.toISOString(), JSON.stringify(metadata)]
      const { rows } = await client.query<Invoice>(FIND, values)
      return rows[0]?.status === 'paid' ? paid(rows[0]) : { outcome: 'none' }
    })
  }

  void(invoice: Keyed & { invoiceId: string }) {
    return this.calls.change('void', undefined, invoice, async (client) => {
      const { rows } = await client.query<Invoice>(ONE, [invoice.invoiceId])
      if (!rows[0]) return ourFault('there is no such invoice')
      // What is declined here is void at once, so nothing is ever open.
      return rows[0].status === 'paid' ? paid(rows[0]) : { outcome: 'void' as const }
    })
  }

  refund(invoice: Keyed & { invoiceId: string }) {
    return this.calls.change('refund', undefined, invoice, async (client) => {
      const { rows } = await client.query<Invoice>(ONE, [invoice.invoiceId])
      if (rows[0]?.status !== 'paid') return ourFault('nothing was paid that could be refunded')
      const refundId = idOf('re')
      const known = await client.query<{ id: string }>('select id from sandbox_refund where invoice = $1', [
        invoice.invoiceId,
      ])
      if (known.rows[0]) return { outcome: 'refunded' as const, refundId: known.rows[0].id }
      await client.query(REFUND, [refundId, invoice.invoiceId, this.now()])
      return { outcome: 'refunded' as const, refundId }
    })
  }

  setSeats(total: SeatTotal) {
    const { customerId, seats, seatPriceCents, currency, anchor } = total
    return this.calls.change('setSeats', customerId, total, async (client) => {
      await client.query(SEATS, [customerId, seats, seatPriceCents, currency, anchor.toISOString()])
      return { outcome: 'set' as const }
    })
  }

  card({ customerId }: { customerId: string }) {
    return this.calls.look('card', customerId, async (client) => ({
      outcome: 'known' as const,
      card: await cardOnFile(client, customerId),
    }))
  }

  invoice({ invoiceId }: { invoiceId: string }) {
    return this.calls.look('invoice', undefined, async (client) => {
      const { rows } = await client.query<HeldRow>(`${HELD} where i.id = $1`, [invoiceId])
      return { outcome: 'known' as const, invoice: rows[0] ? held(rows[0]) : null }
    })
  }

  holdings({ customerId, since }: { customerId: string; since: Date }) {
    return this.calls.look('holdings', customerId, (client) => holdingsOf(client, customerId, since))
  }

  sweep(): Promise<void> {
    return this.calls.sweep()
  }

  private async collect(client: pg.PoolClient, charge: Charge): Promise<ChargeOutcome> {
    const { customerId, cents, currency, lines, metadata } = charge
    const sum = lines.reduce((total, line) => total + line.cents, 0)
    if (!Number.isSafeInteger(cents) || sum !== cents) return ourFault('the lines do not add up to the amount')
    if (cents < smallestCharge(currency)) return ourFault('the amount is below the smallest of its currency')
    const { rows } = await client.query<{ paymentMethod: string | null }>(kept(CARD, [customerId]))
    const [customer] = rows
    if (!customer) return ourFault('there is no such customer')
    if (customer.paymentMethod === null) return { outcome: 'no_payment_method' }
    const fate = fateOf(customer.paymentMethod)!
    const [invoiceId, payment] = [idOf('in'), fate === 'paid' ? idOf('pi') : null]
    const texts = [JSON.stringify(lines), JSON.stringify(metadata)]
    const end = fate === 'paid' ? ['paid', null] : ['void', fate]
    await client.query(kept(INVOICE, [invoiceId, customerId, cents, currency, ...texts, ...end, payment, this.now()]))
    if (payment) return { outcome: 'paid', invoiceId, paymentId: payment }
    return { outcome: 'declined', reason: fate as Decline, invoiceId }
  }

  private now(): string {
    return this.clock().toISOString()
  }
}

const paid = ({ id, payment }: Invoice): Paid => ({ outcome: 'paid', invoiceId: id, paymentId: payment! })
const ourFault = (reason: string): Transient => ({ outcome: 'transient', reason, ourFault: true })

/** Ids look like Stripe's and are told from them at a glance; they come in the order in which they are made. */
const idOf = (kind: string) => `${kind}_sandbox_${newId().replaceAll('-', '')}`
