import { startTestWorker } from './agencies.js'
import { startTestApp, type TestApp } from './app.js'

// However slow the machine, nobody is told that it is not done yet.
const PACE = { leaseMs: 600_000, retryMs: 20, answerMs: 600_000 }

/** Two gateways on one database, and a worker for what agencies call. */
export interface Gateways {
  service: TestApp
  other: TestApp
  stop(): Promise<void>
}

/** Starts them; none loses its patience with another. */
export async function startGateways(): Promise<Gateways> {
  const settings = { events: PACE, idempotencyWaitMs: 600_000 }
  const service = await startTestApp(settings)
  const other = await startTestApp(settings, undefined, service)
  const worker = startTestWorker(service, PACE)
  return {
    service,
    other,
    stop: async () => {
      await worker.stop()
      await other.stop()
      await service.stop()
    },
  }
}
