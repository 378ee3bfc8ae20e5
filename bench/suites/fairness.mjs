// What one account's heavy calls, as many as it can send, do to another's reads at a steady rate.

import { log } from '../lib/accounts.mjs'
import { inTurns } from '../lib/beside.mjs'

const TURNS = 10
const CALLERS = 16
const RATE = 40

const WORDS = ['ar', 'er', 'gina lopes', 'Barbosa', 'acme 12', 'user12']
const DATES = 'from=2025-02-10T09:30:00Z&to=2026-01-20T17:45:00Z' // seeded opportunities are of 2025-02-01 to 2026-01-31
const ALIASED = Array.from(
  { length: 50 },
  (_, i) => `s${i}: contacts(filter: {search: "${'aeiou'[i % 5]}r"}) { items { id } pagination { total } }`,
)

/** The heavy calls by their kind: paths of REST, or a GraphQL query. */
const HEAVY = ({ contacts }) => ({
  searches: {
    paths: WORDS.flatMap((q) => [`/contacts?search=${q}&limit=100`, `/opportunities?search=${q}&limit=100`]),
  },
  'deep pages': { paths: [0, 1, 2, 3].map((i) => `/contacts?limit=100&page=${contacts / 100 - i}`) },
  'reports with dates': {
    paths: [`/reports/sales-summary?${DATES}`, `/reports/sellers?${DATES}`, `/reports/sla?${DATES}`],
  },
  'aliased GraphQL': { query: `{ ${ALIASED.join(' ')} }` },
})

/** The suite by itself; `--parts` names single kinds of heavy calls. */
export default async function fairness(bench) {
  const parts = bench.options.parts.split(',')
  const rows = []
  const isAsked = (kind) => parts.includes(kind) || !parts.some((part) => part in HEAVY({}))
  for await (const { kind, read, alone, beside, answered } of measured(bench, isAsked)) {
    rows.push([kind, answered, read, alone.p50, beside.p50, alone.p99, beside.p99, beside.p99 / alone.p99])
  }
  bench.table(`Reads at ${RATE} a second beside ${CALLERS} callers of another account`, rows, [
    'heavy calls',
    'of them a second',
    'reads',
    'p50 ms alone',
    'beside',
    'p99 ms alone',
    'beside',
    'p99 ×',
  ])
}

async function* measured({ api, accounts: { measured: one, others: another } }, isAsked) {
  const headers = { 'X-API-Key': another.key }
  const answer = await fetch(`${api}/contacts?limit=100`, { headers })
  const ids = (await answer.json()).data.map(({ id }) => id)
  const reads = { contact: '/contacts/{{id}}', 'list of 50': '/contacts?limit=50' }
  const jobs = Object.values(reads).map((path) => ({
    ...{ workload: { url: api + path, headers }, ids, connections: 16, rate: RATE },
  }))
  for (const [kind, { paths, query }] of Object.entries(HEAVY(one))) {
    if (!isAsked(kind)) continue
    log(`fairness: ${kind}`)
    const workload = {
      ...(query
        ? { url: api.replace('/external/v1', '/graphql'), method: 'POST', body: JSON.stringify({ query }) }
        : { url: `${api}{{id}}` }),
      headers: { 'X-API-Key': one.key },
    }
    const { each, answered } = await inTurns(jobs, { workload, ids: paths, connections: CALLERS }, TURNS)
    for (const [i, read] of Object.keys(reads).entries()) yield { kind, read, answered, ...each[i] }
  }
}
