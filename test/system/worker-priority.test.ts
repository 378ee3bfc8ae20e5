import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { constants, getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase } from '../support/cluster.js'
import { launch, MAIN, start } from './cli/run.js'

const USUAL = getPriority()
const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority

/** The priorities that a process's threads have: the lower the number, the sooner they get a core. */
const prioritiesOf = (pid: number) => [
  ...new Set(readdirSync(`/proc/${pid}/task`).map((thread) => getPriority(Number(thread)))),
]

test('a worker comes after what answers calls, with all its threads; the database that it starts does not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-priority-'))
  const worker = start(['worker'], { DATA_DIR: folder })
  try {
    await worker.prints(/worker is ready/)
    expect(prioritiesOf(worker.pid)).toEqual([PRIORITY_BELOW_NORMAL])
    const postgres = Number(readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
    expect(prioritiesOf(postgres)).toEqual([USUAL])
  } finally {
    worker.child.kill('SIGTERM')
    await worker.finished
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a worker that was started with a lower priority still keeps it, and a server its usual one', async () => {
  const database = await createDatabase()
  const settings = { DATABASE_URL: database.url, ENCRYPTION_KEY: 'a'.repeat(64) }
  const worker = launch('nice', ['-n', String(PRIORITY_LOW - USUAL), process.execPath, MAIN, 'worker'], settings)
  const server = start(['serve', '--port', '0'], settings)
  try {
    await Promise.all([worker.prints(/worker is ready/), server.prints(/Fairlead is ready/)])
    expect(prioritiesOf(worker.pid)).toEqual([PRIORITY_LOW])
    expect(prioritiesOf(server.pid)).toEqual([USUAL])
  } finally {
    for (const { child } of [worker, server]) child.kill('SIGTERM')
    await Promise.all([worker.finished, server.finished])
    await database.drop()
  }
})
