import { notBuilt } from './errors.js'
import type { Params } from './params.js'
import { customers } from './resources/customers.js'
import { events } from './resources/events.js'
import type { Handler, Handlers } from './resources/handler.js'
import { invoiceItems } from './resources/invoice-items.js'
import { invoices } from './resources/invoices.js'
import { paymentMethods } from './resources/payment-methods.js'
import { payments } from './resources/payments.js'
import { prices } from './resources/prices.js'
import { subscriptionItems } from './resources/subscription-items.js'
import { subscriptions } from './resources/subscriptions.js'
import { type Endpoint, stripeTypes } from './types/schema.js'

/** What answers each endpoint, by its name in the package. */
export const handlers: Handlers = {
  ...customers,
  ...paymentMethods,
  ...prices,
  ...invoices,
  ...invoiceItems,
  ...payments,
  ...subscriptions,
  ...subscriptionItems,
  ...events,
}

interface Route {
  endpoint: Endpoint
  handler: Handler
  pattern: RegExp
  names: string[]
}

const routes: Route[] = Object.entries(stripeTypes.endpoints)
  .map(([id, endpoint]) => {
    const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
    const handler = handlers[id]
    if (!handler) throw new Error(`the local Stripe has nothing that answers ${id}`)
    return { endpoint, handler, names, pattern: new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`) }
  })
  // `/v1/customers/search` is no customer's.
  .sort((one, other) => one.names.length - other.names.length)

/** The endpoint of an address, with the ids in it. */
export function routeOf(verb: string, address: string): { route: Route; path: Record<string, string> } | undefined {
  for (const route of routes) {
    const match = route.endpoint.verb === verb ? route.pattern.exec(address) : null
    if (match)
      return {
        route,
        path: Object.fromEntries(route.names.map((name, at) => [name, decodeURIComponent(match[at + 1]!)])),
      }
  }
  return undefined
}

/** Refuses what Stripe would heed and this server would pass over. */
export function refuseUnheeded({ takes = [] }: Handler, params: Params): void {
  const unheeded = Object.keys(params).find((name) => name !== 'expand' && !takes.includes(name))
  if (unheeded) throw notBuilt(`the parameter ${unheeded}`)
}
