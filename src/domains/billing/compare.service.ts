import { type Database, Scope } from '../../database/index.js'
import type { BillingProvider } from '../../integrations/billing/index.js'
import { type Clock, systemClock } from '../../shared/clock.js'
import { chargesOf, standingOf } from './books.service.js'
import { type Difference, differencesOf, MENDING, sameDifference, withoutInvoice } from './difference.service.js'
import { forEachAgency } from './each-agency.service.js'
import { mend } from './mend.service.js'
import { openStanding } from './terms.service.js'
import type { Turn, TurnPace } from './turn.service.js'

const DAY_MS = 86_400_000

/** What came of comparing an agency. */
export interface Compared {
  agencyId: string
  agencyKey: string
  name: string
  /** Why it could not be compared, and whether that is only because its money is being moved. */
  trouble?: string
  busy?: true
  differences: (Difference & { mended: boolean })[]
}

/** What is compared, and whether what is safe is mended. */
export interface Comparing {
  provider: BillingProvider
  /** Invoices and charges of so many days. */
  days: number
  apply: boolean
  clock?: Clock
  pace?: TurnPace
}

const AGENCIES = `select id, agency_key as "agencyKey", name from agency where billing_customer is not null order by id`
const IDS = 'select id from agency where id = any($1::uuid[])'

/**
 * Compares what the provider has of each agency with the database, and mends what is safe where that is asked for. Each is
 * compared in its turn, so that nothing is half done meanwhile; the trouble of one holds up no other.
 */
export async function compareAgencies(database: Database, comparing: Comparing): Promise<Compared[]> {
  const { clock = systemClock, pace } = comparing
  const { rows } = await database.pool.query<Omit<Compared, 'differences'> & { id: string }>(AGENCIES)
  const all = new Map(rows.map(({ id, ...agency }) => [id, { ...agency, agencyId: id }]))
  const results = new Map<string, Pick<Compared, 'trouble' | 'differences'>>()
  for (const id of all.keys()) await openStanding(Scope.ofAgency(database, id), clock())
  const due = { find: IDS, values: [[...all.keys()]], pace }
  await forEachAgency(database, due, async (db, turn) => {
    results.set(db.agencyId, await compareOne(db, turn, { ...comparing, clock }))
  })
  const busy = { busy: true, trouble: "Somebody else moves the agency's money; try again." } as const
  return [...all].map(([id, agency]) => ({ ...agency, ...(results.get(id) ?? { ...busy, differences: [] }) }))
}

type Means = Omit<Comparing, 'clock'> & { clock: Clock }

async function compareOne(db: Scope, turn: Turn, means: Means): Promise<Pick<Compared, 'trouble' | 'differences'>> {
  let found: Difference[] = []
  try {
    found = await lookAt(db, means)
    const safe = means.apply ? found.filter(({ kind }) => MENDING[kind] !== 'people') : []
    if (safe.length === 0) return { differences: found.map((one) => ({ ...one, mended: false })) }
    for (const one of safe) await mend(db, turn, one, means)
    const left = await lookAt(db, means)
    const newly = left.filter((one) => !found.some((other) => sameDifference(one, other)))
    const isLeft = (one: Difference) => left.some((other) => sameDifference(one, other))
    return {
      differences: [
        ...found.map((one) => ({ ...one, mended: !isLeft(one) })),
        ...newly.map((one) => ({ ...one, mended: false })),
      ],
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { trouble: error.message, differences: found.map((one) => ({ ...one, mended: false })) }
  }
}

/** That the provider could not be asked. */
class Unanswered extends Error {}

async function lookAt(db: Scope, { provider, days, clock }: Means): Promise<Difference[]> {
  const now = clock()
  const since = new Date(now.getTime() - days * DAY_MS)
  const standing = await standingOf(db, now)
  const held = await provider.holdings({ customerId: standing.customerId, since })
  if (held.outcome !== 'held') throw new Unanswered(held.reason)
  const books = { ...standing, charges: await chargesOf(db, since, held.invoices) }
  const missing: Difference[] = []
  const invoices = [...held.invoices]
  for (const charge of withoutInvoice(books, held)) {
    const one = await provider.invoice({ invoiceId: charge.invoiceId! })
    if (one.outcome !== 'known') throw new Unanswered(one.reason)
    if (one.invoice) invoices.push(one.invoice)
    else
      missing.push({
        kind: 'missing_invoice',
        what: `There is no invoice ${charge.invoiceId}, and the charge counts as paid by it.`,
        charge,
      })
  }
  return [...differencesOf(books, { ...held, invoices }, now), ...missing]
}
