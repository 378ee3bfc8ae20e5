// That no call costs more than its share, in milliseconds: real processes, each line a figure and its limit.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { HEAVY_BODIES, HEAVY_QUERIES } from '../../test/support/heavy.ts'
import { pause, startProxy, startServer } from '../lib/server.mjs'
import { agencyFigures } from './agencies.mjs'

const MAX_STALL_MS = 50
const MAX_ANSWER_BYTES = 65_536
const DESCRIPTORS = 1024
const SILENT_SOCKETS = 1100
/** No call waits this much longer than the median for another's sake. */
const MAX_DELAY_MS = 500
/** What a call waits for a connection (DATABASE_WAIT_MS), and a second for answering. */
const MAX_SILENCE_MS = 6000

const MAX_RECOVERY_MS = 2000
const MAX_DRAIN_MS = 100

const at = (times, part) => times.toSorted((a, b) => a - b)[Math.min(Math.floor(times.length * part), times.length - 1)]
const timed = async (work) => {
  const begin = performance.now()
  const result = await work()
  return [performance.now() - begin, result]
}
const statusOf = async (url, init) => {
  const answer = await fetch(url, init).catch(() => undefined)
  await answer?.text()
  return answer?.status
}

/** All figures as `{name, figure, limit, unit}`; the larger the worse. */
export default async function limits(postgres, accounts) {
  return [
    ...(await stalls(postgres, accounts.measured)),
    ...(await silentSockets(postgres, accounts.measured)),
    ...(await silentDatabase(postgres, accounts.measured)),
    ...(await neighbours(postgres, accounts)),
    ...(await drain(postgres, accounts.measured)),
    ...(await agencies(postgres, accounts.measured)),
  ]
}

async function agencies(postgres, account) {
  const server = await startServer(postgres.url)
  try {
    return await agencyFigures(postgres, server, account)
  } finally {
    await server.stop()
  }
}

async function stalls(postgres, { key }) {
  const server = await startServer(postgres.url, { preload: new URL('../lib/stall.mjs', import.meta.url).href })
  const worst = async () => {
    const answer = once(server.child, 'message')
    server.child.send('worst')
    return (await answer)[0]
  }
  let size = 0
  const send = async (url, body, headers) => {
    const answer = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json', ...headers },
    })
    const text = await answer.text()
    if (answer.status >= 400 || text.startsWith('{"errors"')) size = Math.max(size, Buffer.byteLength(text))
  }
  const groups = {
    'body without a key': [`${server.origin}/graphql`, HEAVY_QUERIES, {}],
    'body with a key': [`${server.origin}/graphql`, HEAVY_QUERIES, { 'X-API-Key': key }],
    'REST body': [`${server.api}/contacts`, HEAVY_BODIES, { 'X-API-Key': key }],
  }
  const figures = []
  for (const [group, [url, bodies, headers]] of Object.entries(groups)) {
    let [worstName, worstOfAll, wall] = ['', 0, 0]
    for (const [name, body] of Object.entries(bodies)) {
      await send(url, body, headers) // once for the compiler
      await worst()
      for (let i = 0; i < 3; i++) await send(url, body, headers)
      await pause(10)
      const found = await worst()
      wall = Math.max(wall, found.wall)
      if (found.own > worstOfAll) [worstName, worstOfAll] = [name, found.own]
    }
    const name = `longest stall by a ${group} (${worstName}; ${wall.toFixed(0)} ms with waiting for a core)`
    figures.push({ name, figure: worstOfAll, limit: MAX_STALL_MS, unit: 'ms' })
  }
  await server.stop()
  return [...figures, { name: 'largest answer of an error', figure: size, limit: MAX_ANSWER_BYTES, unit: 'bytes' }]
}

async function silentSockets(postgres, { key }) {
  const server = await startServer(postgres.url, { descriptors: DESCRIPTORS })
  const sockets = Array.from({ length: SILENT_SOCKETS }, () => connect(server.port, '127.0.0.1').on('error', () => {}))
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])))
  let wrong = 0
  const times = []
  for (let i = 0; i < 50; i++) {
    const headers = { 'X-API-Key': key, Connection: 'close' }
    const [ms, status] = await timed(() => statusOf(`${server.api}/contacts?limit=1`, { headers }))
    times.push(ms)
    if (status !== 200) wrong++
  }
  for (const socket of sockets) socket.destroy()
  await server.stop()
  const among = `among ${SILENT_SOCKETS} silent sockets, ${DESCRIPTORS} descriptors`
  return [
    { name: `calls that fail ${among}`, figure: wrong, limit: 0, unit: 'of 50' },
    {
      name: `slowest call beyond the median ${among}`,
      figure: at(times, 1) - at(times, 0.5),
      limit: MAX_DELAY_MS,
      unit: 'ms',
    },
  ]
}

async function silentDatabase(postgres, { key }) {
  const url = new URL(postgres.url)
  const proxy = await startProxy(Number(url.port))
  url.port = String(proxy.port)
  const server = await startServer(url.href, { quiet: true })
  const init = { headers: { 'X-API-Key': key } }
  const call = () => statusOf(`${server.api}/contacts?limit=1`, init)
  for (let i = 0; i < 20; i++) await call()
  proxy.silence()
  const answers = await Promise.all(Array.from({ length: 30 }, () => timed(call)))
  proxy.restore()
  const [recovery] = await timed(async () => {
    while ((await call()) !== 200) await pause(20)
  })
  const [again] = await timed(() => Promise.all(Array.from({ length: 30 }, call)))
  await server.stop()
  proxy.close()
  return [
    {
      name: 'answers other than 503 while the database is silent',
      figure: answers.filter(([, status]) => status !== 503).length,
      limit: 0,
      unit: 'of 30',
    },
    {
      name: 'the last 503 while the database is silent',
      figure: Math.max(...answers.map(([ms]) => ms)),
      limit: MAX_SILENCE_MS,
      unit: 'ms',
    },
    {
      name: 'from the return of the database to the first answer',
      figure: recovery,
      limit: MAX_RECOVERY_MS,
      unit: 'ms',
    },
    { name: 'thirty calls at once after that', figure: again, limit: MAX_RECOVERY_MS, unit: 'ms' },
  ]
}

async function neighbours(postgres, { measured, others }) {
  const server = await startServer(postgres.url, { quiet: true })
  const calls = async (until) => {
    const times = []
    while (until(times)) {
      const [ms] = await timed(() =>
        statusOf(`${server.api}/contacts?limit=50`, { headers: { 'X-API-Key': others.key } }),
      )
      times.push(ms)
    }
    return times
  }
  const alone = await calls(({ length }) => length < 200)
  const fields = Array.from(
    { length: 50 },
    (_, i) => `s${i}: contacts(filter: {search: "${'aeiou'[i % 5]}r"}) { items { id } pagination { total } }`,
  )
  const query = JSON.stringify({ query: `{ ${fields.join(' ')} }` })
  let running = true
  const headers = { 'X-API-Key': measured.key, 'Content-Type': 'application/json' }
  const statuses = new Set()
  const flood = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (running) statuses.add(await statusOf(`${server.origin}/graphql`, { method: 'POST', body: query, headers }))
    }),
  )
  await pause(1000)
  const until = Date.now() + 10_000
  const beside = await calls(() => Date.now() < until)
  running = false
  await flood
  await server.stop()
  if (!statuses.has(200)) throw new Error(`the searches were answered with ${[...statuses]}`)
  const line = (name, part) => ({
    name: `${name} of another account beside 50 aliased searches, beyond it alone (${at(alone, part).toFixed(0)} ms)`,
    figure: at(beside, part) - at(alone, part),
  })
  return [
    { ...line('p50', 0.5), limit: MAX_DELAY_MS / 10, unit: 'ms' },
    { ...line('p99', 0.99), limit: MAX_DELAY_MS, unit: 'ms' },
  ]
}

async function drain(postgres, account) {
  const rounds = []
  for (let i = 0; i < 3; i++) rounds.push(await drained(postgres, account))
  const middle = (name) =>
    at(
      rounds.map((round) => round[name]),
      0.5,
    )
  const lost = rounds.reduce((sum, round) => sum + round.lost, 0)
  const name = `from the last answer to the end of the process (${middle('wall').toFixed(0)} ms with waiting for a core)`
  return [
    { name: 'calls lost in a drain with 100 idle connections', figure: lost, limit: 0, unit: 'of 30' },
    { name, figure: middle('own'), limit: MAX_DRAIN_MS, unit: 'ms' },
  ]
}

async function drained(postgres, { key }) {
  const server = await startServer(postgres.url)
  const agent = new Agent({ keepAlive: true, maxSockets: 100 })
  const ask = (path) =>
    new Promise((resolve, reject) => {
      get(`${server.api}${path}`, { agent, headers: { 'X-API-Key': key } }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode))
      }).on('error', reject)
    })
  await Promise.all(Array.from({ length: 100 }, () => ask('/tags')))
  const last = Array.from({ length: 10 }, () => ask('/contacts?search=ar&limit=100').catch(() => undefined))
  await pause(20)
  server.child.kill('SIGTERM')
  const statuses = await Promise.all(last)
  const begin = performance.now()
  const before = waitedForCore(server.child.pid)
  let [waited, ended] = [before, undefined]
  server.ended.then(() => (ended = performance.now()))
  while (ended === undefined) {
    waited = Math.max(waited, waitedForCore(server.child.pid))
    await pause(1)
  }
  agent.destroy()
  const wall = ended - begin
  return { lost: statuses.filter((status) => status !== 200).length, wall, own: wall - (waited - before) }
}

/** For how long a process was ready to run and had no core so far (milliseconds); 0 when it has ended. */
function waitedForCore(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
