import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jest } from '@jest/globals'
import pg from 'pg'
import { type Answer, createClient } from '../../support/client.js'
import { until } from '../../support/embedded.js'
import { type Running, run, start } from '../cli/run.js'

jest.setTimeout(180_000)

const ADDRESS = /REST +(http:\S+?)\/external/
const WRITERS = 4

let dataDir: string
let settings: Record<string, string>
let processes: Running[]

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'fairlead-kill-'))
  chmodSync(dataDir, 0o755) // the server of a superuser runs as another account, which must get in
  settings = { DATA_DIR: dataDir }
  processes = []
})

afterEach(async () => {
  for (const { child } of processes) child.kill('SIGTERM')
  for (const { finished } of processes) await finished
  rmSync(dataDir, { recursive: true, force: true })
})

/** The lines of the file that says where the server is; it is gone while there is none. */
function pidFile(): string[] {
  try {
    return readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}
const postmaster = () => Number(pidFile()[0])
const port = () => Number(pidFile()[3])

async function serve(): Promise<string> {
  const running = start(['serve', '--port', '0'], settings)
  processes.push(running)
  return running.prints(ADDRESS)
}

/** Takes the port of a killed server at once, so that the next one has to go elsewhere. */
async function squat(taken: number): Promise<Server> {
  const server = createServer((socket) =>
    socket
      .on('error', () => {})
      .resume()
      .end('nothing here'),
  )
  await until('free port', () => {
    return new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(taken, '127.0.0.1', () => resolve(true))
    })
  })
  return server
}

/** Creates contacts one after the other until it is told to stop; an answer is either a success or 503. */
async function write(origins: string[], key: string, name: string, made: Set<string>, state: { ends: boolean }) {
  const clients = origins.map((origin) => createClient(origin, key))
  const refused: Answer[] = []
  for (let i = 0; !state.ends; i++) {
    const answer = await clients[i % clients.length]!.post('/contacts', { name: `${name} ${i}` })
    if (answer.status === 201) made.add(answer.body.data.id)
    else refused.push(answer)
  }
  return refused
}

test('an embedded PostgreSQL killed under load is 503 until it is back, and nothing answered is lost', async () => {
  const { stdout } = await run(['demo', '--json'], settings)
  const { api_key: key } = JSON.parse(stdout)
  const origins = await Promise.all([serve(), serve()])
  const made = new Set<string>()
  const state = { ends: false }
  const writers = Array.from({ length: WRITERS }, (_, i) => write(origins, key, `Writer ${i}`, made, state))
  const squatters: Server[] = []
  for (const moves of [false, true]) {
    const [pid, before, goal] = [postmaster(), port(), made.size + 40]
    await until('work', () => made.size >= goal)
    process.kill(pid, 'SIGKILL')
    if (moves) squatters.push(await squat(before))
    await until('new server', () => postmaster() > 0 && postmaster() !== pid && pidFile()[7]?.trim() === 'ready')
    const back = made.size
    await until('work of both processes again', () => made.size >= back + 40)
    expect(port() === before).toBe(!moves)
  }
  state.ends = true
  const refused = (await Promise.all(writers)).flat()
  for (const squatter of squatters) squatter.close()

  for (const { status, body } of refused) {
    expect([status, body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
  }
  for (const origin of origins) {
    expect((await fetch(`${origin}/readyz`)).status).toBe(200)
    const client = createClient(origin, key)
    expect((await client.post('/contacts', { name: 'After' })).status).toBe(201)
  }
  const password = readFileSync(join(dataDir, 'postgres.password'), 'utf8').trim()
  const direct = new pg.Client({ connectionString: `postgres://postgres:${password}@127.0.0.1:${port()}/fairlead` })
  await direct.connect()
  try {
    const { rows } = await direct.query('select id from contact where id = any($1)', [[...made]])
    expect(rows).toHaveLength(made.size)
    // The background jobs have followed as well.
    await until('worker', async () => {
      const workers = await direct.query("select from pg_stat_activity where application_name = 'fairlead worker'")
      return workers.rowCount! >= 2
    })
  } finally {
    await direct.end()
  }
})

/** The processes of the server: the postmaster and its children. */
function serverProcesses(): number[] {
  const parent = postmaster()
  const children = readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[1] === `${parent}`
      )
    } catch {
      return false // it ended meanwhile
    }
  })
  return [parent, ...children.map(Number)]
}

test('a PostgreSQL that stands still leaves no call without an answer, and is served from when it goes on', async () => {
  const { stdout } = await run(['demo', '--json'], settings)
  const { api_key: key } = JSON.parse(stdout)
  const client = createClient(await serve(), key)
  expect((await client.get('/contacts')).status).toBe(200)
  const stopped = serverProcesses()
  for (const pid of stopped) process.kill(pid, 'SIGSTOP')
  try {
    const calls = Array.from({ length: 30 }, (_, i) =>
      i % 3 ? client.get('/contacts') : client.post('/contacts', { name: `Still ${i}` }),
    )
    for (const { status } of await Promise.all(calls)) expect(status).toBe(503)
    expect((await client.get('/contacts')).status).toBe(503)
  } finally {
    for (const pid of stopped) process.kill(pid, 'SIGCONT')
  }
  await until('the service is well', async () => (await client.get('/contacts')).status === 200, 20_000)
  const after = await Promise.all(Array.from({ length: 20 }, () => client.get('/contacts')))
  expect(after.map(({ status }) => status)).toEqual(after.map(() => 200))
})
