import { sql } from 'kysely'
import type { Context, Scope } from '../../database/index.js'
import { AgencyReads } from '../../kit/agency-reads.js'
import { computed, equals, refersTo, since, until, where } from '../../kit/reads/index.js'
import type { Selection } from '../../kit/selection.js'
import { AppError } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { AgencyEvent } from './agency-event.entity.js'
import type { AgencyEventFilter } from './agency-event.inputs.js'
import { PROVISIONING_ERRORS, TOLD } from './provisioning-errors.service.js'

// While a sub-account is only reserved, nothing tells its id.
const isTold = sql`(r.action <> 'sub_account.create' or r.status = 'processed')`

/** The reads of agencies' events, newest first. */
export const agencyEventReads = new AgencyReads<AgencyEvent, AgencyEventFilter>({
  entity: AgencyEvent,
  children: {
    targetAccountId: computed((of) => sql`case when ${isTold} then ${of('target_account_id')} end`, null),
  },
  filters: {
    agencyId: refersTo('agencyId', { common: true }),
    subAccountId: where((of, id) => sql`(${of('target_account_id')} = ${id} and ${isTold})`, {
      prepare: (id) => (isUuid(id) ? id.toLowerCase() : undefined),
    }),
    status: equals('status', { common: true }),
    action: equals('action', { common: true }),
    errorCode: equals('errorCode'),
    from: since('receivedAt'),
    to: until('receivedAt'),
  } satisfies Record<keyof AgencyEventFilter, unknown>,
  sorts: { received_at: 'receivedAt' },
})

/** An event that the viewer may see; throws EVENT_NOT_FOUND. */
export async function findEvent(context: Context, id: string, selection: Selection): Promise<AgencyEvent> {
  return (await agencyEventReads.find(context, id, selection)) ?? refuse()
}

/** An event of the agency whose records the scope sees; throws EVENT_NOT_FOUND. */
export async function findOwnEvent(db: Scope, id: string, selection: Selection): Promise<AgencyEvent> {
  return (await agencyEventReads.own.find(db, id, selection)) ?? refuse()
}

function refuse(): never {
  throw new AppError(PROVISIONING_ERRORS.EVENT_NOT_FOUND, TOLD.EVENT_NOT_FOUND)
}
