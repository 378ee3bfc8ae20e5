import { sql } from 'kysely'
import { AgencyReads } from '../../kit/agency-reads.js'
import { type ColumnRef, computed, hasWord, refersTo, since, until, where } from '../../kit/reads/index.js'
import { isUuid } from '../../shared/ids.js'
import { LedgerEntry } from './ledger.entity.js'
import type { LedgerFilter } from './ledger.inputs.js'

const ofSource = (column: string) => (of: ColumnRef) =>
  sql`(select ${sql.ref(`c.${column}`)} from seat_charge c where c.agency_id = ${of('agency_id')} and c.id = ${of('source_id')})`

/** The reads of agencies' ledgers, newest first. */
export const ledgerReads = new AgencyReads<LedgerEntry, LedgerFilter>({
  entity: LedgerEntry,
  children: {
    description: computed(ofSource('description'), null),
    subAccountId: computed(ofSource('sub_account_id'), null),
  },
  filters: {
    agencyId: refersTo('agencyId', { common: true }),
    subAccountId: where(
      (of, id) => sql`exists (select from seat_charge c where c.agency_id = ${of('agency_id')}
        and c.id = ${of('source_id')} and c.sub_account_id = ${id})`,
      { prepare: (id) => (isUuid(id) ? id.toLowerCase() : undefined) },
    ),
    kind: hasWord('kind'),
    from: since('at'),
    to: until('at'),
  } satisfies Record<keyof LedgerFilter, unknown>,
  sorts: { at: 'at' },
})
