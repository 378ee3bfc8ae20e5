import { type CallOptions, type ClientOptions, segment } from './call.js'
import { AgencyApi, BASE } from './generated/agency.js'
import type { AgencyEvent, Pending } from './generated/agency-types.js'
import { pause } from './retry.js'
import { Transport } from './transport.js'

/** What a client of the agency API is made with. */
export interface FairleadAgencyOptions extends ClientOptions {
  /** The key of the agency, `ag_…`, which stands in the addresses. */
  agencyKey: string
  /** One of the agency's tokens. */
  token: string
}

/** Whether a write is not done yet (202); its event tells how it ends. */
export function isPending<Written extends { data: object }>(
  answer: Written,
): answer is Extract<Written, { data: Pending }> {
  return 'status' in answer.data && answer.data.status === 'pending'
}

const FIRST_LOOK_MS = 500
const LONGEST_LOOK_MS = 15_000
const ENDS = ['processed', 'failed', 'ignored']

/** The agency API, with a method for each endpoint, and what follows an event to its end. */
export class FairleadAgency extends AgencyApi {
  constructor({ agencyKey, token, ...options }: FairleadAgencyOptions) {
    super(new Transport(BASE, { Authorization: `Bearer ${token}` }, options), segment(agencyKey))
  }

  /** Tells of an event each time that its status or attempts have changed, until it has ended. */
  async *followEvent(eventId: string, options: CallOptions = {}): AsyncGenerator<AgencyEvent> {
    let told = ''
    for (let ms = FIRST_LOOK_MS; ; ms = Math.min(ms * 1.5, LONGEST_LOOK_MS)) {
      const { data } = await this.getAgencyEvent(eventId, options)
      const state = `${data.status} ${data.attempts}`
      if (state !== told) yield data
      told = state
      if (ENDS.includes(data.status)) return
      await pause(ms, options.signal)
    }
  }

  /** Waits for an event to end, and returns it; a failed one too. */
  async endOfEvent(eventId: string, options: CallOptions = {}): Promise<AgencyEvent> {
    let last: AgencyEvent | undefined
    for await (const event of this.followEvent(eventId, options)) last = event
    return last!
  }
}
