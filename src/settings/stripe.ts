import { type Read, secrets, stripeKey, webOrigin } from './values.js'

/** How billing reaches Stripe, and how it knows what Stripe tells. */
export interface StripeSettings {
  secretKey: string
  /** With each of them events may be signed: two while one takes the place of the other. */
  webhookSecrets: readonly string[]
  /** Another address than Stripe's own. */
  apiBase?: string
}

/** Reads the settings of Stripe; undefined without a key. */
export function readStripe(read: Read, notices: string[]): StripeSettings | undefined {
  const expected = "Stripe's secret key, sk_test_…, sk_live_… or a restricted one, rk_…"
  const secretKey = read<string | undefined>('STRIPE_SECRET_KEY', undefined, stripeKey, expected)
  const signing = "a signing secret of Stripe's, whsec_…, or several with commas between them"
  const webhookSecrets = read<readonly string[]>('STRIPE_WEBHOOK_SECRET', [], secrets('whsec_'), signing)
  const address = 'an http:// or https:// address without a path'
  const apiBase = read<string | undefined>('STRIPE_API_BASE', undefined, webOrigin, address)
  if (secretKey !== undefined) {
    if (webhookSecrets.length === 0) notices.push('without STRIPE_WEBHOOK_SECRET the events of Stripe are refused')
    return { secretKey, webhookSecrets, apiBase }
  }
  if (webhookSecrets.length > 0) notices.push('STRIPE_WEBHOOK_SECRET has no effect without STRIPE_SECRET_KEY')
  if (apiBase !== undefined) notices.push('STRIPE_API_BASE has no effect without STRIPE_SECRET_KEY')
  return undefined
}
