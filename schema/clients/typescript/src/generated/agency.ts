// Made by `npm run schema` out of schema/openapi: change the stored operations instead.
import { type CallOptions, segment } from '../call.js'
import type { Answer, Transport } from '../transport.js'
import type {
  CreateSubAccountAnswer,
  CreateSubAccountPendingAnswer,
  CreateSubAccountRequest,
  DeleteSubAccountAnswer,
  DeleteSubAccountPendingAnswer,
  GetAgencyEventAnswer,
  UpdateSubAccountChannelsAnswer,
  UpdateSubAccountChannelsByPostAnswer,
  UpdateSubAccountChannelsByPostPendingAnswer,
  UpdateSubAccountChannelsPendingAnswer,
  UpdateSubAccountChannelsRequest,
} from './agency-types.js'

/** Where the API is, below the address of the server. */
export const BASE = '/api/webhooks/agency'

/** Fairlead agency API: a method for each endpoint. */
export class AgencyApi {
  readonly #transport: Transport
  readonly #owner: string

  constructor(transport: Transport, owner: string) {
    this.#transport = transport
    this.#owner = owner
  }

  /**
   * Tells how far a write has come, and how it ended.
   *
   * No permission is needed.
   */
  getAgencyEvent(eventId: string, options: CallOptions = {}): Promise<Answer<GetAgencyEventAnswer>> {
    return this.#transport.call({ method: 'GET', path: `/${this.#owner}/events/${segment(eventId)}` }, options)
  }

  /**
   * Creates a sub-account for a client, with an admin who can sign in, and charges its billable seats to the card on file for the rest of the cycle. At most five within an hour.
   *
   * Needs `sub_account.create`. `include_credentials` needs `sub_account.credentials` too.
   */
  createSubAccount(body: CreateSubAccountRequest, options: CallOptions = {}): Promise<Answer<CreateSubAccountAnswer | CreateSubAccountPendingAnswer>> {
    return this.#transport.call({ method: 'POST', path: `/${this.#owner}/sub-accounts`, body, keyed: true }, options)
  }

  /**
   * Ends a sub-account: its people and keys are shut out, its external_ref and its admin's address are free again, and its seats are given back without credit.
   *
   * Needs `sub_account.delete`.
   */
  deleteSubAccount(ref: string, options: CallOptions = {}): Promise<Answer<DeleteSubAccountAnswer | DeleteSubAccountPendingAnswer>> {
    return this.#transport.call({ method: 'DELETE', path: `/${this.#owner}/sub-accounts/${segment(ref)}`, keyed: true }, options)
  }

  /**
   * Brings the seats of a sub-account to what is sent, by PUT and POST alike; a channel that is left out has none then. More billable seats are charged to the card on file for the rest of the cycle, and a declined card changes nothing; fewer give no credit.
   *
   * Needs `sub_account.channels`.
   */
  updateSubAccountChannels(ref: string, body: UpdateSubAccountChannelsRequest, options: CallOptions = {}): Promise<Answer<UpdateSubAccountChannelsAnswer | UpdateSubAccountChannelsPendingAnswer>> {
    return this.#transport.call({ method: 'PUT', path: `/${this.#owner}/sub-accounts/${segment(ref)}/channels`, body, keyed: true }, options)
  }

  /**
   * Brings the seats of a sub-account to what is sent, by PUT and POST alike; a channel that is left out has none then. More billable seats are charged to the card on file for the rest of the cycle, and a declined card changes nothing; fewer give no credit.
   *
   * Needs `sub_account.channels`.
   */
  updateSubAccountChannelsByPost(ref: string, body: UpdateSubAccountChannelsRequest, options: CallOptions = {}): Promise<Answer<UpdateSubAccountChannelsByPostAnswer | UpdateSubAccountChannelsByPostPendingAnswer>> {
    return this.#transport.call({ method: 'POST', path: `/${this.#owner}/sub-accounts/${segment(ref)}/channels`, body, keyed: true }, options)
  }
}
