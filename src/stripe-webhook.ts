import type { Database } from './database/index.js'
import { takeNotice } from './domains/billing/index.js'
import type { Webhook } from './http/index.js'
import { type BillingProvider, stripeNotices } from './integrations/billing/index.js'
import { AppError } from './shared/errors.js'

/** What Stripe tells, signed with one of the secrets; without any it is not believed. */
export function stripeWebhook(database: Database, provider: BillingProvider, secrets: readonly string[]): Webhook {
  const read = stripeNotices(secrets)
  return {
    path: '/webhooks/stripe',
    signature: 'Stripe-Signature',
    take: async (body, signature) => {
      const notice = read(body, signature)
      if (!notice) throw new AppError('VALIDATION_ERROR', 'The signature of the event is not right, or too old.')
      await takeNotice(database, provider, notice)
    },
  }
}
