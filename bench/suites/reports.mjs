import { median } from '../lib/bench.mjs'

const YEAR = '2025-02-10T09:30:00Z' // seeded opportunities are of 2025-02-01 to 2026-01-31
const DATED = `from=${YEAR}&to=2026-01-20T17:45:00Z`

const REPORTS = {
  funnel: '/reports/funnel',
  'sales summary': '/reports/sales-summary',
  'sales summary, dates': `/reports/sales-summary?${DATED}`,
  sellers: '/reports/sellers',
  'sellers, dates': `/reports/sellers?${DATED}`,
  'SLA of a quarter': '/reports/sla?from=2025-04-01&to=2025-06-30',
}

/** Reports by the size of the account, one request at a time; and the SLA beside plain SQL. */
export default async function reports(bench) {
  const { accounts, options } = bench
  const rows = []
  for (const account of options.scaling ? [accounts.small, accounts.measured, accounts.large] : [accounts.measured]) {
    for (const [name, path] of Object.entries(REPORTS)) {
      const title = `${account.opportunities} opportunities: ${name}`
      rows.push(await bench.row(title, bench.get(path, account), { connections: 1 }))
    }
    rows.push([
      `${account.opportunities} opportunities: SLA of a quarter, plain SQL`,
      '',
      await plainSla(bench, account),
    ])
  }
  bench.table('Reports, one at a time', rows)
}

/** The least that the numbers of the SLA report take: averages and counts by seller, and a total of these. */
async function plainSla(bench, { account_id }) {
  const hours = (from, to) => `avg(extract(epoch from ${to} - ${from})) / 3600`
  const sql = `select owner_user_id, ${hours('created_at', 'sent_at')}, ${hours('sent_at', 'accepted_at')},
      ${hours('qualifying_started_at', 'qualified_at')}, ${hours('created_at', 'won_at')} / 24,
      count(sent_at), count(accepted_at), count(qualified_at), count(won_at)
    from opportunity where account_id = '${account_id}' and created_at >= '2025-04-01' and created_at < '2025-07-01'
    group by grouping sets ((), (owner_user_id))`
  return median(await bench.times(sql, 20))
}
