import { randomUUID } from 'node:crypto'
import { createDatabase } from '../support/cluster.js'
import { startCollector } from '../support/otlp/collector.js'
import { startSilent } from '../support/smtp.js'
import { run, start } from './cli/run.js'

// Tells on stderr each module of OpenTelemetry that the process loads, whether by `import` or `require`.
const HOOK = `import { registerHooks } from 'node:module'
import { writeSync } from 'node:fs'
registerHooks({ load(url, context, next) {
  if (url.includes('/node_modules/')) writeSync(2, 'LOADED ' + url.replace(/^.*node_modules./, '') + '\\n')
  return next(url, context)
} })`
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(HOOK)}`

let database: Awaited<ReturnType<typeof createDatabase>>
let settings: Record<string, string>
beforeAll(async () => {
  database = await createDatabase()
  settings = { DATABASE_URL: database.url, NODE_OPTIONS, PORT: '0', ENCRYPTION_KEY: 'a'.repeat(64) }
})
afterAll(() => database?.drop())

const loaded = (stderr: string) =>
  new Set([...stderr.matchAll(/^LOADED ((?:@[^/\n]+\/)?[^/\n]+)/gm)].map(([, name]) => name!))
// The interfaces alone, which do nothing, belong to what counts figures (prom-client) too.
const ours = (packages: Set<string>) =>
  [...packages].filter((name) => name.startsWith('@opentelemetry/') && name !== '@opentelemetry/api')

test('without a collector nothing of OpenTelemetry is loaded, be it to serve, to work or for a command', async () => {
  const server = start(['serve'], settings)
  const origin = await server.prints(/(http:\/\/127\.0\.0\.1:\d+)/)
  expect((await fetch(`${origin}/readyz`)).status).toBe(200)
  server.child.kill('SIGTERM')
  const command = await run(['account', 'create', '--name', 'Loaded', '--json'], settings)
  for (const { code, stderr } of [await server.finished, command]) {
    const packages = loaded(stderr)
    expect({ code, ours: ours(packages) }).toEqual({ code: 0, ours: [] })
    expect(packages).toContain('pg')
  }
})

test('with one, requests and jobs are told, along with what OpenTelemetry’s other variables say', async () => {
  const collector = await startCollector()
  const otel = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-token=for%20us',
    OTEL_SERVICE_NAME: 'leads',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=testing',
  }
  try {
    const server = start(['serve', '--no-worker'], { ...settings, ...otel })
    const origin = await server.prints(/(http:\/\/127\.0\.0\.1:\d+)/)
    const requestId = randomUUID()
    await fetch(`${origin}/external/v1/contacts`, { headers: { 'X-Request-Id': requestId } })
    // It is told although the process ends before the next portion is due.
    server.child.kill('SIGTERM')
    const { code, stderr } = await server.finished
    expect(code).toBe(0)
    expect(collector.spans.map(({ attributes }) => attributes['fairlead.request_id'])).toContain(requestId)
    expect(collector.resource).toMatchObject({ 'service.name': 'leads', 'deployment.environment': 'testing' })
    expect(collector.headers[0]).toMatchObject({ 'x-token': 'for us' })
    expect(ours(loaded(stderr))).toContain('@opentelemetry/sdk-trace')

    const worker = start(['worker'], { ...settings, ...otel })
    await worker.prints(/worker is ready/)
    // One of the jobs is due at each full minute.
    try {
      await collector.told(({ name }) => name === 'job compact-tallies', 100_000)
    } finally {
      worker.child.kill('SIGTERM')
    }
    expect((await worker.finished).code).toBe(0)
  } finally {
    await collector.stop()
  }
}, 120_000)

test('a collector that says nothing holds up the end of the process for two seconds at most', async () => {
  const dumb = await startSilent()
  const server = start(['serve', '--no-worker'], {
    ...settings,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${dumb.port}`,
  })
  const origin = await server.prints(/(http:\/\/127\.0\.0\.1:\d+)/)
  await fetch(`${origin}/external/v1/contacts`)
  server.child.kill('SIGTERM')
  expect((await server.finished).code).toBe(0)
  await dumb.stop()
})
