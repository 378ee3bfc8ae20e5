import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { FAULT_KINDS, type Fault } from './faults.js'
import type { LocalStripe } from './index.js'
import type { Delivering } from './webhooks.js'

type Body = Record<string, unknown>

/** What a test in another process may do behind the API's back, each `POST /_local/<name>` with a JSON body. */
const COMMANDS: Record<string, (stripe: LocalStripe, body: Body) => unknown> = {
  disturb(stripe, body) {
    const fault = body as unknown as Fault
    if (!FAULT_KINDS.includes(fault.kind)) throw new Error(`kind must be one of ${FAULT_KINDS.join(', ')}`)
    stripe.disturb(fault)
    return {}
  },
  calm: (stripe) => stripe.calm() ?? {},
  async advance(stripe, { ms }) {
    await stripe.advance(Number(ms))
    return { now: new Date(stripe.world.time) }
  },
  async deliver(stripe, body) {
    await stripe.deliver(body as Delivering)
    return { waiting: stripe.webhooks.waiting }
  },
  collected: (stripe, { customer }) => ({ cents: stripe.collected(String(customer)) }),
  open: (stripe, { customer }) => ({ invoices: stripe.open(String(customer)) }),
  complaints: (stripe) => ({ complaints: stripe.takeComplaints() }),
  state: ({ world, faults }) => ({
    now: new Date(world.time),
    faults: faults.left,
    customers: [...world.customers.values()],
    invoices: [...world.invoices.values()],
    charges: [...world.charges.values()],
    refunds: [...world.refunds.values()],
    subscriptions: [...world.subscriptions.values()],
  }),
}

/** Answers a command; what is wrong with it is a 400 with a sentence. */
export async function answerLocally(
  stripe: LocalStripe,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const name = request.url!.slice('/_local/'.length)
  const body = request.method === 'POST' ? await json(request).catch(() => ({})) : {}
  response.setHeader('Content-Type', 'application/json')
  try {
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
    if (!command) throw new Error(`there is no ${name}; there are ${Object.keys(COMMANDS).join(', ')}`)
    response.end(JSON.stringify(await command(stripe, body as Body)))
  } catch (error) {
    response.statusCode = 400
    response.end(JSON.stringify({ error: (error as Error).message }))
  }
}
