import type Stripe from 'stripe'

/** The error that a call ends with; throws when it succeeds. */
export async function failure(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  try {
    await call
  } catch (error) {
    return error as Stripe.errors.StripeError
  }
  throw new Error('the call succeeded')
}
