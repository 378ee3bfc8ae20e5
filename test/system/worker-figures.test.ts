import { createDatabase, runStatement } from '../support/cluster.js'
import { start } from './cli/run.js'

const WAITING = /^fairlead_queue_entries\{queue="recurring_jobs",state="created"\} [1-9]/m

test('a worker serves its figures on a port of its own, for who knows the token, and nothing else there', async () => {
  const database = await createDatabase()
  const settings = { DATABASE_URL: database.url, METRICS_TOKEN: 'only for Prometheus', ENCRYPTION_KEY: 'a'.repeat(64) }
  const worker = start(['worker'], { ...settings, WORKER_METRICS_PORT: '0' })
  try {
    const origin = await worker.prints(/(http:\/\/127\.0\.0\.1:\d+)\/metrics/)
    const headers = { Authorization: 'Bearer only for Prometheus' }
    const statusOf = async (path: string, init?: RequestInit) => (await fetch(origin + path, init)).status
    expect(await statusOf('/metrics')).toBe(401)
    expect(await statusOf('/external/v1/contacts', { headers })).toBe(404)
    // One of the recurring jobs is due at each full minute, and is done too soon to be seen waiting.
    let text = ''
    let waits = false
    for (const end = Date.now() + 100_000; Date.now() < end; await new Promise((done) => setTimeout(done, 500))) {
      text = await (await fetch(`${origin}/metrics`, { headers })).text()
      const done = /work="job compact-tallies"/.test(text)
      if (done && !waits) {
        await runStatement(
          database.url,
          "insert into pgboss.job (name, start_after) values ('sweep-read-positions', now() + interval '1 hour')",
        )
        waits = true
      }
      if (waits && WAITING.test(text)) break // figures are looked up anew every five seconds
    }
    expect(text).toMatch(/^fairlead_work_duration_seconds_count\{work="job compact-tallies",outcome="done"\} [1-9]/m)
    expect(text).toMatch(WAITING)
    expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m)
    expect(text).toMatch(/^fairlead_queues_unseen 0$/m)
    worker.child.kill('SIGTERM')
    expect((await worker.finished).code).toBe(0)
  } finally {
    worker.child.kill('SIGKILL')
    await database.drop()
  }
}, 150_000)
