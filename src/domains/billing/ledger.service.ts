import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { newId } from '../../shared/ids.js'
import type { EntryKind } from './ledger.entity.js'

/** A line to be added to the ledger. */
export interface NewEntry {
  kind: EntryKind
  /** In the smallest unit; nothing is added for 0. */
  cents: number
  /** The charge to whose sum it counts; null for the balance that is carried over. */
  charge: string | null
}

/** What an agency owes, in the smallest unit of its currency. */
export interface Balance {
  /** Carried over until the next charge or renewal collects it. */
  carriedCents: number
  /** Of renewals that could not be collected yet. */
  unpaidCents: number
}

const add = new Statement<never>(
  sql<never>`insert into ledger_entry (id, agency_id, charge_id, source_id, kind, cents, at)
    select e.id, ${param('agency')}, e.charge, ${param('source')}, e.kind, e.cents, ${param('at')}
    from unnest(${param('ids')}::uuid[], ${param('charges')}::uuid[], ${param('kinds')}::text[], ${param('cents')}::bigint[])
      e(id, charge, kind, cents)`,
  { prepared: true },
)
const sums = new Statement<Balance>(
  sql<Balance>`select coalesce(sum(e.cents) filter (where e.charge_id is null), 0)::float8 as "carriedCents",
      coalesce(sum(e.cents) filter (where c.kind = 'renewal'), 0)::float8 as "unpaidCents"
    from ledger_entry e left join seat_charge c on c.agency_id = e.agency_id and c.id = e.charge_id
    where e.agency_id = ${param('agency')}`,
)

/** Adds lines to an agency's ledger, all from one charge. */
export async function record(
  db: Scope,
  source: string,
  at: Date | string,
  entries: readonly NewEntry[],
): Promise<void> {
  const lines = entries.filter(({ cents }) => cents !== 0)
  if (lines.length === 0) return
  await db.rows(add, {
    source,
    at,
    ids: lines.map(() => newId()),
    charges: lines.map(({ charge }) => charge),
    kinds: lines.map(({ kind }) => kind),
    cents: lines.map(({ cents }) => cents),
  })
}

/** Lines that move what is carried over to a charge that collects it, or, of a negative amount, back. */
export const moveCarried = (charge: string, cents: number): NewEntry[] => [
  { kind: 'carried', cents: -cents, charge: null },
  { kind: 'carried', cents, charge },
]

/** What the agency owes. */
export const balanceOf = async (db: Scope): Promise<Balance> => (await db.rows(sums, {}))[0]!
