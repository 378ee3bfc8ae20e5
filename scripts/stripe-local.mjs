#!/usr/bin/env node
// Starts the local Stripe of test/support/stripe alone, so that the whole flow of an agency can be seen without an account at
// Stripe; see --help.
import { Command, InvalidArgumentError, Option } from 'commander'
import { number, untilStopped } from './local.mjs'

const { FAULT_KINDS, startLocalStripe } = await import('../test/support/stripe/index.ts')

/** `reset_after:POST /v1/invoices:2` is a fault, the calls that it befalls, and how many. */
function faultOf(text, before = []) {
  const [, kind, path, times] = /^([a-z_]+)(?::(.*?))?(?::(\d+))?$/.exec(text) ?? []
  if (!FAULT_KINDS.includes(kind)) throw new InvalidArgumentError(`a fault is one of ${FAULT_KINDS.join(', ')}`)
  return [...before, { kind, ...(path ? { path } : {}), ...(times ? { times: number(times) } : {}) }]
}

const collect = (text, before = []) => [...before, text]

const options = new Command('stripe:local')
  .description('A Stripe of your own on 127.0.0.1; its state is in memory and gone when it ends')
  .addOption(new Option('--port <number>', 'where it listens').default(12111).argParser(number))
  .option('--secret-key <key>', 'its secret key', 'sk_test_local')
  .option('--webhook <url>', 'where it sends events', 'http://127.0.0.1:4000/webhooks/stripe')
  .option('--webhook-secret <secret>', 'what signs them; again for a second one, as while one is rotated', collect)
  .option(
    '--fault <kind[:calls[:times]]>',
    'something that goes wrong, such as reset_after:/pay; again for more',
    faultOf,
  )
  .option('--per-second <number>', 'how many calls a second it takes', number)
  .option(
    '--authentication <what>',
    'requires_action or declined: what a card that demands its owner does',
    'requires_action',
  )
  .parse()
  .opts()

const secrets = options.webhookSecret ?? ['whsec_local']
const stripe = await startLocalStripe({
  port: options.port,
  secretKey: options.secretKey,
  authentication: options.authentication,
  webhooks: [{ url: options.webhook, secrets }],
  ...(options.perSecond === undefined ? {} : { perSecond: options.perSecond }),
})
for (const fault of options.fault ?? []) stripe.disturb(fault)
stripe.keepTime()

process.stdout.write(`A local Stripe listens at ${stripe.base}. Start Fairlead with

  STRIPE_API_BASE=${stripe.base} STRIPE_SECRET_KEY=${stripe.secretKey} STRIPE_WEBHOOK_SECRET=${secrets.join(',')} npm start

Events go to ${options.webhook}. Cards: pm_card_visa pays, pm_card_chargeCustomerFail is declined when it is charged,
pm_card_authenticationRequired demands its owner, pm_card_chargeDeclined cannot be put on file.

  curl ${stripe.base}/_local/state                                                        what it knows
  curl ${stripe.base}/_local/disturb -d '{"kind":"reset_after","path":"/pay$"}'            a call goes wrong
  curl ${stripe.base}/_local/advance -d '{"ms":2592000000}'                                30 days go by
`)

untilStopped(stripe)
