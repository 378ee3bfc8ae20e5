import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import Stripe from 'stripe'

const SCRIPT = fileURLToPath(new URL('../../../scripts/stripe-local.mjs', import.meta.url))

let child: ChildProcess
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})

/** Starts it as `npm run stripe:local` does, and waits for what it says. */
async function start(...args: string[]): Promise<{ said: string; base: string }> {
  child = spawn(process.execPath, [SCRIPT, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for await (const chunk of child.stdout!) {
    said += chunk
    if (said.includes('/_local/advance')) break
  }
  return { said, base: /http:\/\/127\.0\.0\.1:\d+/.exec(said)![0] }
}

const post = async (address: string, body: object) =>
  (await fetch(address, { method: 'POST', body: JSON.stringify(body) })).json() as Promise<Record<string, unknown>>

describe('npm run stripe:local', () => {
  test('is a Stripe that the real client talks to, and that a test in another process may disturb', async () => {
    const received: { body: string; signature: string }[] = []
    const receiver = createServer(async (request, response) => {
      received.push({ body: await text(request), signature: request.headers['stripe-signature'] as string })
      response.end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks/stripe`
    const secrets = ['--webhook-secret', 'whsec_a', '--webhook-secret', 'whsec_b']
    const { said, base } = await start('--port', '0', '--webhook', hook, ...secrets, '--fault', 'busy:/customers$')
    expect(said).toContain(
      `STRIPE_API_BASE=${base} STRIPE_SECRET_KEY=sk_test_local STRIPE_WEBHOOK_SECRET=whsec_a,whsec_b`,
    )

    const { hostname, port } = new URL(base)
    const client = new Stripe('sk_test_local', { host: hostname, port, protocol: 'http', maxNetworkRetries: 0 })
    await expect(client.customers.create({})).rejects.toMatchObject({ statusCode: 429 })
    const customer = await client.customers.create({ name: 'Norte Digital' })
    while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    for (const secret of ['whsec_a', 'whsec_b']) {
      const [{ body, signature }] = received as [{ body: string; signature: string }]
      expect(Stripe.webhooks.constructEvent(body, signature, secret)).toMatchObject({ type: 'customer.created' })
    }

    await post(`${base}/_local/disturb`, { kind: 'error_before', path: '/customers$' })
    await expect(client.customers.create({})).rejects.toMatchObject({ statusCode: 500 })
    expect(await post(`${base}/_local/disturb`, { kind: 'tired' })).toMatchObject({
      error: expect.stringContaining('slow'),
    })
    expect(await post(`${base}/_local/open`, { customer: customer.id })).toEqual({ invoices: 0 })
    const { now } = await post(`${base}/_local/advance`, { ms: 86_400_000 })
    expect(Date.parse(now as string)).toBeGreaterThan(Date.now() + 80_000_000)
    const state = (await (await fetch(`${base}/_local/state`)).json()) as { customers: { id: string }[] }
    expect(state.customers).toMatchObject([{ id: customer.id, name: 'Norte Digital' }])

    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    await new Promise((resolve) => receiver.close(resolve))
  })
})
