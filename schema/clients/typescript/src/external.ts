import type { ClientOptions } from './call.js'
import { BASE, ExternalApi } from './generated/external.js'
import { Transport } from './transport.js'

/** What a client of the external API is made with. */
export interface FairleadOptions extends ClientOptions {
  /** An API key of the account. */
  apiKey: string
}

/** The external API, with a method for each endpoint, `all…` for each list and `changed…` for each that can be copied. */
export class Fairlead extends ExternalApi {
  constructor({ apiKey, ...options }: FairleadOptions) {
    super(new Transport(BASE, { 'X-API-Key': apiKey }, options))
  }
}
