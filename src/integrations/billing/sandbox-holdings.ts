import type pg from 'pg'
import type { CardOnFile, HeldInvoice, Holdings } from './provider.js'

/** An invoice as the sandbox's tables have it. */
export interface HeldRow extends Omit<HeldInvoice, 'createdAt'> {
  createdAt: string
}

/** Reads invoices with what was given back of them. */
export const HELD = `select i.id as "invoiceId", i.status, i.cents::float8 as cents, i.metadata, false as "ofCycle",
    i.created_at as "createdAt", case when i.status = 'paid' then i.cents - coalesce((select sum(r.cents)
      from sandbox_refund r where r.invoice = i.id), 0) else 0 end::float8 as "collectedCents"
  from sandbox_invoice i`

/** An invoice in the words of the interface. */
export const held = ({ createdAt, ...row }: HeldRow): HeldInvoice => ({ ...row, createdAt: new Date(createdAt) })

/** The card of a customer; the test cards have nothing but their names. */
export async function cardOnFile(client: pg.PoolClient, customerId: string): Promise<CardOnFile | null> {
  const sql = 'select payment_method as "paymentMethod" from sandbox_customer where id = $1'
  const { rows } = await client.query<{ paymentMethod: string | null }>(sql, [customerId])
  const paymentMethod = rows[0]?.paymentMethod
  return paymentMethod ? { paymentMethod } : null
}

/** All that the sandbox has of a customer, with the invoices since a moment. */
export async function holdingsOf(client: pg.PoolClient, customerId: string, since: Date): Promise<Holdings> {
  const { rows: invoices } = await client.query<HeldRow>(
    `${HELD} where i.customer = $1 and i.created_at >= $2 order by i.id desc`,
    [customerId, since.toISOString()],
  )
  const sql = 'select seats from sandbox_subscription where customer = $1'
  const { rows: subscriptions } = await client.query<{ seats: number }>(sql, [customerId])
  return {
    outcome: 'held',
    card: await cardOnFile(client, customerId),
    balanceCents: 0,
    seatTotals: subscriptions.map(({ seats }) => seats),
    invoices: invoices.map(held),
  }
}
