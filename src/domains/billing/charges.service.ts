import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { newId } from '../../shared/ids.js'
import type { ChargeKind, ChargeState } from './seat-charge.entity.js'

/** A charge as it is stored; instants are ISO texts, amounts in the smallest unit. */
export interface ChargeRow {
  id: string
  key: string
  kind: ChargeKind
  subAccountId: string | null
  description: string
  seats: number
  seatPriceCents: number
  currency: string
  at: string
  periodStart: string
  periodEnd: string
  cents: number
  carriedCents: number
  state: ChargeState
  decline: string | null
  callNumber: number
  calledAt: string
  keySpent: boolean
  invoiceId: string | null
  invoiceStatus: string | null
  paymentId: string | null
  declines: number
  createdAt: string
}

/** What is known of a charge when it is made. */
export type NewCharge = Pick<
  ChargeRow,
  'key' | 'kind' | 'subAccountId' | 'description' | 'seats' | 'cents' | 'carriedCents' | 'state' | 'decline'
> & { at: Date; periodStart: Date; periodEnd: Date; now: Date; seatPriceCents: number; currency: string }

/** The columns of a charge as it is read. */
export const CHARGE_COLUMNS = sql`id, key, kind, sub_account_id as "subAccountId", description, seats,
  seat_price_cents as "seatPriceCents", currency, at, period_start as "periodStart", period_end as "periodEnd",
  cents::float8 as cents, carried_cents::float8 as "carriedCents", state, decline, call_number as "callNumber",
  called_at as "calledAt", key_spent as "keySpent", invoice_id as "invoiceId",
  invoice_status as "invoiceStatus", payment_id as "paymentId", declines,
  created_at as "createdAt"`

const insert = new Statement<ChargeRow>(
  sql<ChargeRow>`insert into seat_charge (id, agency_id, key, kind, sub_account_id, description, seats, seat_price_cents,
      currency, at, period_start, period_end, cents, carried_cents, state, decline, called_at, created_at)
    values (${param('id')}, ${param('agency')}, ${param('key')}, ${param('kind')}, ${param('subAccountId')},
      ${param('description')}, ${param('seats')}, ${param('seatPriceCents')}, ${param('currency')}, ${param('at')},
      ${param('periodStart')}, ${param('periodEnd')}, ${param('cents')}, ${param('carriedCents')}, ${param('state')},
      ${param('decline')}, ${param('now')}, ${param('now')})
    returning ${CHARGE_COLUMNS}`,
  { prepared: true },
)
const byKey = new Statement<ChargeRow>(
  sql<ChargeRow>`select ${CHARGE_COLUMNS} from seat_charge where agency_id = ${param('agency')} and key = ${param('key')}`,
  { prepared: true },
)
const byId = new Statement<ChargeRow>(
  sql<ChargeRow>`select ${CHARGE_COLUMNS} from seat_charge where agency_id = ${param('agency')} and id = ${param('id')}`,
  { prepared: true },
)
const update = new Statement<ChargeRow>(
  sql<ChargeRow>`update seat_charge set state = ${param('state')}, decline = ${param('decline')},
      call_number = ${param('callNumber')}, called_at = ${param('calledAt')}, key_spent = ${param('keySpent')},
      invoice_id = ${param('invoiceId')}, invoice_status = ${param('invoiceStatus')}, payment_id = ${param('paymentId')}, declines = ${param('declines')},
      retry_at = ${param('retryAt')}
    where agency_id = ${param('agency')} and id = ${param('id')} and state = any(${param('from')}::text[])
    returning ${CHARGE_COLUMNS}`,
  { prepared: true },
)

/** Stands in the key of a charge for what was collected without being owed, before the invoice; see surplusKey. */
const SURPLUS = '+'

/** The key of what an invoice has collected for a charge that did not owe it. */
export const surplusKey = ({ key }: Pick<ChargeRow, 'key'>, invoiceId: string): string => `${key}${SURPLUS}${invoiceId}`

/** Whether a charge stands for what was collected without being owed. */
export const isSurplus = ({ key }: Pick<ChargeRow, 'key'>): boolean => key.includes(SURPLUS)

/** The key of the charge from which one comes: that of an event, or of a renewal. */
export const eventOf = ({ key }: Pick<ChargeRow, 'key'>): string => key.split(SURPLUS)[0]!

/** Stores a new charge; its moment of asking the provider counts from now, though it may come to it later. */
export async function addCharge(db: Scope, charge: NewCharge): Promise<ChargeRow> {
  return (await db.rows(insert, { ...charge, id: newId() }))[0]!
}

/** The charge with this key. */
export const chargeByKey = async (db: Scope, key: string): Promise<ChargeRow | undefined> =>
  (await db.rows(byKey, { key }))[0]

/** The charge with this id. */
export async function chargeById(db: Scope, id: string): Promise<ChargeRow> {
  const [charge] = await db.rows(byId, { id })
  if (!charge) throw new Error(`the agency has no charge ${id}`)
  return charge
}

type Change = Partial<
  Pick<
    ChargeRow,
    'state' | 'decline' | 'callNumber' | 'keySpent' | 'invoiceId' | 'invoiceStatus' | 'paymentId' | 'declines'
  >
> & { calledAt?: Date; retryAt?: Date }

const collected = new Statement<{ key: string }>(
  sql<{ key: string }>`update seat_charge set invoice_status = 'paid' where agency_id = ${param('agency')}
    and state = 'applied' and payment_id is null and invoice_status = 'open' and created_at <= ${param('createdAt')}
    returning key`,
)

/** What was carried over before a charge has been collected with it; resolves to the keys of the charges that it was of. */
export const carriedIsCollected = async (db: Scope, { createdAt }: ChargeRow): Promise<string[]> =>
  (await db.rows(collected, { createdAt })).map(({ key }) => key)

/** Changes a charge that is still in the state in which it was read; throws when it is not. */
export async function changeCharge(db: Scope, charge: ChargeRow, change: Change): Promise<ChargeRow> {
  const [changed] = await db.rows(update, { retryAt: null, ...charge, ...change, from: [charge.state] })
  if (!changed) throw new Error(`the charge ${charge.id} is no longer ${charge.state}`)
  return changed
}
