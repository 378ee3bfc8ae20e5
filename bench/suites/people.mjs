import { median } from '../lib/bench.mjs'
import { People, session } from '../lib/people.mjs'

const LOGINS = 200
const CONTACT = 'query ($id: ID!) { contact(id: $id) { id name email phone company } }'
const CONTACT_FIELDS = 'id name email phone company title source lastInteraction createdAt tags { id name color }'
const OPPORTUNITY_FIELDS = 'id title value currency stageName ownerUserName contactName createdAt'
const READS = {
  'contacts, page 1': `{ contacts(limit: 50) { items { ${CONTACT_FIELDS} } pagination { total } } }`,
  'contacts, page 1 by name': `{ contacts(limit: 50, sort: {by: NAME, order: ASC}) {
    items { ${CONTACT_FIELDS} } pagination { total } } }`,
  'contacts, page 20': `{ contacts(limit: 50, page: 20) { items { ${CONTACT_FIELDS} } pagination { total } } }`,
  'contacts, search': `query ($q: String!) { contacts(limit: 50, filter: {search: $q}) {
    items { ${CONTACT_FIELDS} } pagination { total } } }`,
  'contacts, total alone': '{ contacts(limit: 1) { pagination { total } } }',
  'opportunities, page 1': `{ opportunities(limit: 50) { items { ${OPPORTUNITY_FIELDS} } pagination { total } } }`,
  'opportunities, search': `query ($q: String!) { opportunities(limit: 50, filter: {search: $q}) {
    items { ${OPPORTUNITY_FIELDS} } pagination { total } } }`,
  'opportunities, total alone': '{ opportunities(limit: 1) { pagination { total } } }',
  funnel: '{ funnelReport { pipelineName stages { stageName count value } } }',
}

/** People beside programs: what a session costs, logins beside reads, and a seller beside an admin. */
export default async function people(bench) {
  const account = bench.options.scaling ? bench.accounts.large : bench.accounts.measured
  const them = new People(bench, account)
  const crowd = Array.from({ length: LOGINS }, (_, i) => `person-${i}`)
  await them.make({ admin: 'admin', seller: 'seller', ...Object.fromEntries(crowd.map((name) => [name, 'manager'])) })
  const admin = session(await them.signIn('admin'))
  const ids = (await bench.ask('/contacts?limit=100', account)).map(({ id }) => id)
  const parts = bench.options.parts.split(',')
  if (parts.includes('sessions')) await sessions(bench, them, admin, ids)
  if (parts.includes('logins')) await logins(bench, them, crowd, ids)
  if (parts.includes('sellers')) await sellers(bench, them, admin)
}

/** The same call with a session and with a key, in windows taken in turns. */
async function sessions(bench, them, admin, ids) {
  const sides = {
    session: them.query(admin, CONTACT, { id: '{{id}}' }),
    key: them.query({ 'x-api-key': them.account.key }, CONTACT, { id: '{{id}}' }),
  }
  const connections = +bench.options.connections
  const pairs = []
  for (let i = 0; i < 3 * bench.options.rounds; i++) {
    const pair = {}
    const names = Object.keys(sides)
    for (const name of i % 2 ? names : names.reverse()) {
      pair[name] = await bench.window(sides[name], ids, connections, { seconds: 1.5 })
      if (pair[name].non2xx > 0) throw new Error(pair[name].firstBad)
    }
    pairs.push(pair)
  }
  const middle = (of) => median(pairs.map(of))
  bench.table(
    `A contact at /graphql, ${pairs.length} pairs of windows; the ratios are medians of the pairs'`,
    [
      ...Object.keys(sides).map((name) => [
        name,
        ...['rps', 'serverCpu', 'postgresCpu'].map((what) => middle((pair) => pair[name][what])),
      ]),
      [
        'session / key',
        ...['rps', 'serverCpu', 'postgresCpu'].map((what) => middle(({ session, key }) => session[what] / key[what])),
      ],
    ],
    ['credential', 'requests/s', 'server CPU ms', 'PostgreSQL CPU ms'],
  )
}

/** Reads at a steady rate, alone and while everybody signs in at once, in turns. */
async function logins(bench, them, crowd, ids) {
  const read = them.query({ 'x-api-key': them.account.key }, CONTACT, { id: '{{id}}' })
  const steady = { rate: +bench.options.rate, seconds: 8 }
  const windows = { alone: [], beside: [] }
  const took = []
  let refused = 0
  const signIn = async () => {
    const all = await them.signInAll(crowd)
    if (refused === 0 && all.refused.length > 0) console.error(`WRONG: ${all.refused[0]}`)
    refused += all.refused.length
    took.push(all.ms)
  }
  for (let i = 0; i < +bench.options.rounds; i++) {
    windows.alone.push(await bench.window(read, ids, 16, steady))
    let done
    windows.beside.push(await bench.window(read, ids, 16, { ...steady, beside: () => (done = signIn()) }))
    await done
  }
  const lines = Object.entries(windows).map(([name, all]) => {
    const bad = all.reduce((sum, { non2xx, errors }) => sum + non2xx + errors, 0)
    return [name, ...['rps', 'p50', 'p99'].map((what) => median(all.map((window) => window[what]))), bad]
  })
  const ratio = lines[1][3] / lines[0][3]
  bench.table(
    `A contact at ${steady.rate} a second beside ${crowd.length} logins at once, all done in ${median(took).toFixed(0)} ms, ${refused} refused: p99 × ${ratio.toFixed(2)}`,
    lines,
    ['reads', 'requests/s', 'p50 ms', 'p99 ms', 'bad'],
  )
}

/** A seller with a small part of the account beside an admin, who sees it all; one request at a time. */
async function sellers(bench, them, admin) {
  const { account_id } = them.account
  const { own } = bench.options
  await bench.sql(
    `update opportunity o set owner_user_id = u.id from app_user u,
        (select id from opportunity where account_id = '${account_id}' order by md5(id::text) limit ${own}) mine
      where o.account_id = '${account_id}' and u.account_id = o.account_id and u.email like 'bench-seller@%'
        and o.id = mine.id and o.owner_user_id is distinct from u.id`,
    'vacuum analyze opportunity',
    'vacuum analyze contact_seller',
  )
  const seller = session(await them.signIn('seller'))
  const rows = []
  for (const [name, query] of Object.entries(READS)) {
    const variables = query.includes('$q') ? { q: '{{q}}' } : {}
    for (const [who, headers] of Object.entries({ seller, admin })) {
      rows.push(await bench.row(`${name}: ${who}`, them.query(headers, query, variables), { connections: 1 }))
    }
  }
  bench.table(`A seller with ${own} of ${them.account.opportunities} beside an admin, one request at a time`, rows)
}
