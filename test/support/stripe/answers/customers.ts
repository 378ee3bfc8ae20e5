import type { BalanceRecord, CustomerRecord, PaymentMethodRecord } from '../records.js'
import { type Answer, complete, noAddress } from './complete.js'

export const customerAnswer = (customer: CustomerRecord): Answer =>
  customer.deleted
    ? { id: customer.id, object: 'customer', deleted: true }
    : complete('Customer', {
        id: customer.id,
        object: 'customer',
        address: null,
        balance: customer.balance,
        created: customer.created,
        currency: customer.currency,
        delinquent: customer.delinquent,
        description: customer.description,
        discount: null,
        email: customer.email,
        invoice_prefix: customer.invoicePrefix,
        invoice_settings: {
          custom_fields: null,
          default_payment_method: customer.defaultPaymentMethod,
          footer: null,
          rendering_options: null,
        },
        metadata: customer.metadata,
        name: customer.name,
        next_invoice_sequence: customer.nextInvoice,
        phone: customer.phone,
        preferred_locales: [],
        tax_exempt: 'none',
        test_clock: null,
      })

export const balanceAnswer = (entry: BalanceRecord): Answer =>
  complete('CustomerBalanceTransaction', {
    id: entry.id,
    object: 'customer_balance_transaction',
    amount: entry.amount,
    created: entry.created,
    currency: entry.currency,
    customer: entry.customer,
    description: entry.description,
    ending_balance: entry.endingBalance,
    invoice: entry.invoice,
    metadata: entry.metadata,
    type: entry.type,
  })

const noDetails = { address: noAddress, email: null, name: null, phone: null, tax_id: null }

export const paymentMethodAnswer = (method: PaymentMethodRecord): Answer =>
  complete('PaymentMethod', {
    id: method.id,
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: noDetails,
    card: {
      brand: method.brand,
      checks: {
        address_line1_check: null,
        address_postal_code_check: null,
        cvc_check: method.customer ? 'pass' : null,
      },
      country: 'US',
      display_brand: method.brand,
      exp_month: 11,
      exp_year: 2034,
      fingerprint: method.fingerprint,
      funding: 'credit',
      generated_from: null,
      last4: method.last4,
      networks: { available: [method.brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: method.created,
    customer: method.customer,
    metadata: method.metadata,
    type: 'card',
  })

export { noDetails }
