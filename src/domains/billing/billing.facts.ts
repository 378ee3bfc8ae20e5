import { defineFact } from '../../database/index.js'

/** The invoice of a charge came further: the charge's key, which is the id of an agency's event, and its state by now. */
export const invoiceChanged = defineFact<{ key: string; status: string }>('invoiceChanged', 'key')
