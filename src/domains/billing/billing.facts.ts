import { defineFact } from '../../database/index.js'

/** The invoice of a charge came further: the charge's key, which is the id of an agency's event, and its state by now. */
export const invoiceChanged = defineFact<{ key: string; status: string }>('invoiceChanged', 'key')

/** What a charge had collected and is given back: the charge's key, as above, and the amount in digits, in the smallest unit. */
export type ChargeRefunded = Record<'key' | 'refundId' | 'invoiceId' | 'cents', string>

/** What was collected for a charge was given back. */
export const chargeRefunded = defineFact<ChargeRefunded>('chargeRefunded', 'key')
