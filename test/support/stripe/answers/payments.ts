import type {
  ChargeRecord,
  IntentRecord,
  InvoicePaymentRecord,
  PaymentError,
  PaymentMethodRecord,
  RefundRecord,
} from '../records.js'
import { type Answer, complete } from './complete.js'
import { noDetails, paymentMethodAnswer } from './customers.js'

/** What a payment says of its latest failure. */
export const errorAnswer = (error: PaymentError, method: PaymentMethodRecord | undefined): Answer => ({
  ...(error.charge ? { charge: error.charge } : {}),
  code: error.code,
  ...(error.declineCode ? { decline_code: error.declineCode } : {}),
  doc_url: `https://docs.stripe.com/error-codes#${error.code.replaceAll('_', '-')}`,
  message: error.message,
  ...(method ? { payment_method: paymentMethodAnswer(method) } : {}),
  type: 'card_error',
})

export const intentAnswer = (intent: IntentRecord, method: PaymentMethodRecord | undefined): Answer =>
  complete('PaymentIntent', {
    id: intent.id,
    object: 'payment_intent',
    amount: intent.amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: intent.received,
    canceled_at: intent.canceledAt,
    cancellation_reason: intent.canceledAt === null ? null : 'void_invoice',
    capture_method: 'automatic',
    client_secret: `${intent.id}_secret_${intent.secret}`,
    confirmation_method: 'automatic',
    created: intent.created,
    currency: intent.currency,
    customer: intent.customer,
    description: 'Payment for Invoice',
    last_payment_error: intent.error && errorAnswer(intent.error, method),
    latest_charge: intent.latestCharge,
    metadata: {},
    next_action:
      intent.status === 'requires_action'
        ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } }
        : null,
    payment_method: intent.status === 'requires_payment_method' ? null : intent.paymentMethod,
    payment_method_options: {
      card: { installments: null, mandate_options: null, network: null, request_three_d_secure: 'automatic' },
    },
    payment_method_types: ['card'],
    setup_future_usage: null,
    status: intent.status,
  })

const outcomeOf = (failure: PaymentError | null) =>
  failure
    ? {
        network_status: 'declined_by_network',
        reason: failure.declineCode ?? failure.code,
        seller_message: failure.message,
        type: 'issuer_declined',
      }
    : { network_status: 'approved_by_network', reason: null, seller_message: 'Payment complete.', type: 'authorized' }

export const chargeAnswer = (charge: ChargeRecord, method: PaymentMethodRecord): Answer => {
  const paid = charge.status === 'succeeded'
  return complete('Charge', {
    id: charge.id,
    object: 'charge',
    amount: charge.amount,
    amount_captured: paid ? charge.amount : 0,
    amount_refunded: charge.refunded,
    balance_transaction: paid ? charge.id.replace('ch_', 'txn_') : null,
    billing_details: noDetails,
    calculated_statement_descriptor: 'FAIRLEAD',
    captured: paid,
    created: charge.created,
    currency: charge.currency,
    customer: charge.customer,
    description: 'Payment for Invoice',
    disputed: false,
    failure_code: charge.failure?.code ?? null,
    failure_message: charge.failure?.message ?? null,
    fraud_details: {},
    metadata: {},
    outcome: {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      risk_level: 'normal',
      ...outcomeOf(charge.failure),
    },
    paid,
    payment_intent: charge.intent,
    payment_method: charge.paymentMethod,
    payment_method_details: { card: cardDetails(charge, method), type: 'card' },
    receipt_url: paid ? `https://pay.stripe.com/receipts/invoices/${charge.id}` : null,
    refunded: charge.refunded === charge.amount,
    status: charge.status,
  })
}

const cardDetails = (charge: ChargeRecord, method: PaymentMethodRecord) => ({
  amount_authorized: charge.status === 'succeeded' ? charge.amount : null,
  authorization_code: null,
  brand: method.brand,
  checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
  country: 'US',
  electronic_commerce_indicator: null,
  exp_month: 11,
  exp_year: 2034,
  extended_authorization: { status: 'disabled' },
  fingerprint: method.fingerprint,
  funding: 'credit',
  incremental_authorization: { status: 'unavailable' },
  installments: null,
  last4: method.last4,
  mandate: null,
  multicapture: { status: 'unavailable' },
  network: method.brand,
  network_token: { used: false },
  network_transaction_id: null,
  overcapture: { maximum_amount_capturable: charge.amount, status: 'unavailable' },
  regulated_status: 'unregulated',
  three_d_secure: null,
  transaction_link_id: null,
  wallet: null,
})

export const invoicePaymentAnswer = (payment: InvoicePaymentRecord): Answer =>
  complete('InvoicePayment', {
    id: payment.id,
    object: 'invoice_payment',
    amount_paid: payment.status === 'paid' ? payment.amount : null,
    amount_requested: payment.amount,
    created: payment.created,
    currency: payment.currency,
    invoice: payment.invoice,
    is_default: true,
    payment: { payment_intent: payment.intent, type: 'payment_intent' },
    status: payment.status,
    status_transitions: { canceled_at: payment.canceledAt, paid_at: payment.paidAt },
  })

export const refundAnswer = (refund: RefundRecord, charge: ChargeRecord): Answer =>
  complete('Refund', {
    id: refund.id,
    object: 'refund',
    amount: refund.amount,
    balance_transaction: refund.id.replace('re_', 'txn_'),
    charge: refund.charge,
    created: refund.created,
    currency: refund.currency,
    customer: charge.customer,
    destination_details: {
      card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
      type: 'card',
    },
    metadata: refund.metadata,
    payment_intent: refund.intent,
    payment_method: charge.paymentMethod,
    reason: refund.reason,
    status: 'succeeded',
  })
