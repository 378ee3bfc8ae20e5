import type { InvoiceRecord } from '../records.js'
import type { World } from '../world.js'
import { finalize } from './invoices.js'
import { attempt, attemptWithoutCard, methodFor } from './payments.js'
import { renew } from './subscriptions.js'

/** Something that happens by itself. */
export interface Due {
  /** In seconds. */
  at: number
  run(): void
}

/** How long a draft waits for its `invoice.created` to be taken by all who want it, in seconds. */
const WAITS_FOR_HOOKS = 72 * 3600

/** What comes next by itself: renewals, drafts that become final, payments that are tried again. */
export function nextDue(world: World): Due | undefined {
  let next: Due | undefined
  const consider = (at: number | null, run: () => void) => {
    if (at !== null && (next === undefined || at < next.at)) next = { at, run }
  }
  for (const subscription of world.subscriptions.values()) {
    const runs = subscription.status !== 'canceled' && subscription.status !== 'incomplete'
    if (runs) consider(subscription.periodEnd, () => renew(world, subscription))
  }
  for (const invoice of world.invoices.values()) {
    if (invoice.status === 'draft' && invoice.autoAdvance) consider(finalAt(invoice), () => finalize(world, invoice))
    if (invoice.status === 'open') consider(invoice.nextAttempt, () => collect(world, invoice))
  }
  return next
}

function finalAt({ finalizesAt, hooksDeliveredAt, created }: InvoiceRecord): number | null {
  if (finalizesAt === null || hooksDeliveredAt !== null) return finalizesAt
  return Math.max(finalizesAt, created + WAITS_FOR_HOOKS)
}

function collect(world: World, invoice: InvoiceRecord): void {
  const method = methodFor(world, invoice)
  invoice.nextAttempt = null
  if (method) attempt(world, invoice, world.intents.get(invoice.paymentIntent!)!, method)
  else attemptWithoutCard(world, invoice)
}

/** Lets something happen by itself: its events name no request. */
export function runDue(world: World, due: Due): void {
  world.request = { id: null, idempotencyKey: null }
  due.run()
}

/** Does all that is due by now. */
export function catchUp(world: World): void {
  for (let due = nextDue(world); due && due.at <= world.now; due = nextDue(world)) runDue(world, due)
}
