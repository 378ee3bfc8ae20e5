import { randomUUID } from 'node:crypto'
import { AgencyStock } from '../lib/agencies.mjs'
import { median } from '../lib/bench.mjs'

const RUNS = 200
const AGENCIES = 1000
const EVENTS_EACH = 10
const MAX_UPDATE_MS = 15
const MAX_RATIO = 1.25
/** Milliseconds an event: 200 a second. */
const MAX_EVENT_MS = 5

const timed = async (work) => {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

/** Figures of agencies as `{name, figure, limit, unit}`, at a running server, whose contacts are read beside. */
export async function agencyFigures(postgres, { origin, api }, { key }) {
  const stock = await AgencyStock.open(postgres.url)
  try {
    const agency = await stock.agency({ origin })
    const body = { name: 'Client', admin_email: `${randomUUID()}@client.example` }
    const { data } = await agency.call('POST', '/sub-accounts', body)
    const updates = await changes(stock, agency, data.id)
    const looks = await lookUps(agency, api, key)
    await agency.call('PUT', `/sub-accounts/${data.id}/channels`, { channels: {} })
    await stock.pending(agency, AGENCIES, EVENTS_EACH)
    const { seconds, workerCpu, postgresCpu } = await stock.drained(postgres)
    const { processed, ...others } = await stock.ends()
    if (processed !== AGENCIES * EVENTS_EACH) throw new Error(`not all are processed: ${JSON.stringify(others)}`)
    const cpu = [workerCpu, postgresCpu].map((ms) => (ms / processed).toFixed(1)).join(' and ')
    return [
      ...updates,
      looks,
      {
        name: `an event of ${processed} of ${AGENCIES} agencies that wait for the worker (CPU ${cpu} ms of worker and PostgreSQL)`,
        figure: (seconds * 1000) / processed,
        limit: MAX_EVENT_MS,
        unit: 'ms',
      },
    ]
  } finally {
    await stock.close()
  }
}

/** Seats are added and taken away in turns; beside it what the provider alone takes for a charge. */
async function changes({ sandbox }, { billingCustomer: customerId, call }, id) {
  const [raises, lowers, charges] = [[], [], []]
  for (let i = 0; i < RUNS + 20; i++) {
    const set = (linkedin) => timed(() => call('PUT', `/sub-accounts/${id}/channels`, { channels: { linkedin } }))
    const metadata = { charge: randomUUID() }
    const cents = 4900
    const asked = {
      key: randomUUID(),
      customerId,
      cents,
      currency: 'BRL',
      lines: [{ description: 'x', cents }],
      metadata,
    }
    const [raise, lower, charge] = [await set(1), await set(0), await timed(() => sandbox.charge(asked))]
    if (i < 20) continue // the first ones compile
    raises.push(raise)
    lowers.push(lower)
    charges.push(charge)
  }
  const provider = median(charges)
  return [
    {
      name: `channels raised, beside the ${provider.toFixed(1)} ms of the provider (p50)`,
      figure: median(raises) - provider,
      limit: MAX_UPDATE_MS,
      unit: 'ms',
    },
    { name: 'channels lowered (p50)', figure: median(lowers), limit: MAX_UPDATE_MS, unit: 'ms' },
  ]
}

/** The same number of each, in turns. */
async function lookUps({ base, headers, call }, api, key) {
  const { event_id } = await call('POST', '/sub-accounts', { name: 'Other', admin_email: `${randomUUID()}@x.example` })
  const list = await fetch(`${api}/contacts?limit=1`, { headers: { 'X-API-Key': key } })
  const [{ id }] = (await list.json()).data
  const get = (url, headers) =>
    timed(async () => {
      const answer = await fetch(url, { headers })
      await answer.text()
      if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`)
    })
  const [events, contacts] = [[], []]
  for (let i = 0; i < RUNS * 2; i++) {
    events.push(await get(`${base}/events/${event_id}`, headers))
    contacts.push(await get(`${api}/contacts/${id}`, { 'X-API-Key': key }))
  }
  const [event, contact] = [median(events.slice(RUNS / 2)), median(contacts.slice(RUNS / 2))]
  const name = `an event's look-up as a part of a contact's (p50 ${event.toFixed(2)} and ${contact.toFixed(2)} ms)`
  return { name, figure: (event / contact) * 100, limit: MAX_RATIO * 100, unit: '%' }
}

/** What agencies' calls cost beside the provider of billing, and how fast a worker gets through what waits. */
export default async function agencies(bench) {
  const server = { origin: new URL(bench.api).origin, api: bench.api }
  const figures = await agencyFigures(bench.postgres, server, bench.accounts.measured)
  bench.table(
    'Agencies, one call at a time, on the sandbox billing',
    figures.map(({ name, figure, limit, unit }) => [name, figure, `≤ ${limit} ${unit}`]),
    ['what', 'figure', 'goal'],
  )
}
