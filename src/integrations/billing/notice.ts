/** What the provider tells of its own accord: that something has changed. What it is by now is read from the provider. */
export interface Notice {
  /** The provider's id of it; what it tells again has the same. */
  id: string
  /** What has changed: an invoice, the card on file, or the subscription by which cycles are renewed; otherwise nothing. */
  about: 'invoice' | 'card' | 'seats' | 'nothing'
  customerId?: string
  invoiceId?: string
}

/** Reads a notice from the bytes of a request and their signature; undefined when they are not the provider's. */
export type ReadNotice = (body: Buffer, signature: string) => Notice | undefined
