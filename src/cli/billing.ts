import { Command } from 'commander'
import type { Compared, Difference } from '../domains/billing/index.js'
import { wholeNumber } from './arguments.js'
import { withEnvironment } from './environment.js'
import { type Json, print } from './output.js'

/** Two cycles. */
const DAYS = 62

interface ReconcileOptions extends Json {
  apply?: boolean
  days: number
}

export function billingCommand(): Command {
  const command = new Command('billing').description('Look after what agencies pay')
  command
    .command('reconcile')
    .description(
      'Compare what the provider of billing has of each agency with the database; exit code 1 when something differs in the end. ' +
        'May run beside servers and workers',
    )
    .option(
      '--apply',
      'mend what is safe: refund what was not owed, end invoices that nobody owes, store card and states',
    )
    .option('--days <number>', 'compare invoices and charges of so many days', wholeNumber, DAYS)
    .option('--json', 'print one JSON object: {compared, agencies: [{agency_key, trouble, differences}]}')
    .action(reconcile)
  return command
}

function reconcile({ apply = false, days, ...options }: ReconcileOptions): Promise<void> {
  return withEnvironment({}, async ({ database, config }) => {
    const [{ compareAgencies, keyOf, noteComparison }, { openIntegrations }] = await Promise.all([
      import('../domains/billing/index.js'),
      import('../open-integrations.js'),
    ])
    const { billing: provider } = openIntegrations(database, config)
    const compared = await compareAgencies(database, { provider, days, apply })
    await noteComparison(database, days, compared)
    const agencies = compared.filter(({ trouble, differences }) => trouble || differences.length > 0)
    const told = agencies.map((agency) => describe(agency, keyOf))
    const lines = [...agencies.flatMap(linesOf), summaryOf(compared)]
    print({ compared: compared.length, agencies: told }, options, lines)
    if (agencies.some(isLeft)) process.exitCode = 1
  })
}

const isLeft = ({ trouble, differences }: Compared) =>
  trouble !== undefined || differences.some(({ mended }) => !mended)

const describe = (
  { agencyId, agencyKey, name, trouble, differences }: Compared,
  keyOf: (one: Difference) => string | undefined,
) => ({
  agency_id: agencyId,
  agency_key: agencyKey,
  name,
  trouble: trouble ?? null,
  differences: differences.map((one) => ({
    kind: one.kind,
    what: one.what,
    invoice_id: one.invoice?.invoiceId ?? one.charge?.invoiceId ?? null,
    charge_id: one.charge?.id ?? null,
    charge_key: keyOf(one) ?? null,
    mended: one.mended,
  })),
})

const linesOf = ({ name, agencyKey, trouble, differences }: Compared) => [
  `${name} (${agencyKey})`,
  ...differences.map(({ kind, what, mended }) => `  ${mended ? 'mended' : 'DIFFERS'}  ${kind}: ${what}`),
  ...(trouble ? [`  TROUBLE  ${trouble}`] : []),
]

function summaryOf(compared: readonly Compared[]): string {
  const all = compared.flatMap(({ differences }) => differences)
  const mended = all.filter((one) => one.mended).length
  const troubled = compared.filter(({ trouble }) => trouble).length
  return `${compared.length} agencies compared, ${troubled} of them in vain: ${all.length} differences, ${mended} mended.`
}
